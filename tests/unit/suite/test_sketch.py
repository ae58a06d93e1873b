"""Tables are drawn as heatmaps, and what a call drew is drawn once more."""

import torch
from matplotlib.figure import Figure

from grader.sandbox.picture import Picture, describe_axes, read_described
from grader.suite.sketch import heatmap, redraw

TABLE = torch.tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])


def seen(axes) -> Picture:
    """The picture of axes."""
    return read_described(describe_axes(axes))


def test_a_heatmap_is_the_table_with_its_labels() -> None:
    """The first row on top, every label at its cell, the same colours for the same numbers."""
    axes = Figure().subplots()

    heatmap(axes, TABLE, ["a", "b"], ["x", "y", "z"])

    picture = seen(axes)
    assert torch.equal(TABLE.double(), picture.image)
    assert [("a", 0), ("b", 1)] == [(tick.text, tick.at) for tick in picture.down]
    assert [("x", 0), ("y", 1), ("z", 2)] == [(tick.text, tick.at) for tick in picture.across]
    assert (0, 1) == picture.colour_limits


def test_a_heatmap_needs_no_labels() -> None:
    """A large table has none, and matplotlib's own are not put in their place."""
    axes = Figure().subplots()

    heatmap(axes, torch.zeros(50, 64), limits=(-1, 1), square=False)

    assert ((), ()) == (seen(axes).across, seen(axes).down)


def test_what_was_drawn_is_drawn_once_more() -> None:
    """To a viewer the copy is the same, mistakes included."""
    first, second = Figure().subplots(), Figure().subplots()
    drawn = first.imshow(TABLE.numpy(), origin="lower", vmin=0, vmax=2)
    first.set_xticks([0.5], labels=["between"])
    first.set_yticks([0], labels=["$x$"])
    first.set_xlim(0, 2.5)
    first.set_title("Head 3")
    first.set(xlabel="key", ylabel="query")
    first.figure.colorbar(drawn, ax=first)

    redraw(second, seen(first))

    assert torch.equal(seen(first).image, seen(second).image)
    assert {**vars(seen(first)), "image": None} == {**vars(seen(second)), "image": None}
