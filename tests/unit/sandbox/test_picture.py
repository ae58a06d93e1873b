"""What a call draws is told in plain values, as a viewer sees it and whatever it was drawn with."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
import torch

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, PowerNorm
from matplotlib.figure import Figure
from mpl_toolkits.axes_grid1 import make_axes_locatable
from mpl_toolkits.axes_grid1.inset_locator import inset_axes

from grader.model.verdict import Verdict
from grader.sandbox.executor import Executor
from grader.sandbox.namespace import LearnerFile, LearnerModules
from grader.sandbox.picture import Easel, Picture, Tick, describe_axes, read_described, read_picture
from grader.sandbox.problems import LearnerProblem
from grader.sandbox.remote import Conversation, RemoteLearner
from grader.suite.fingerprint import load_known_code

TABLE = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
ROWS, COLUMNS = ["top", "low"], ["left", "mid", "right"]
LABELLED = (
    (Tick("left", 0.0), Tick("mid", 1.0), Tick("right", 2.0)),
    (Tick("top", 0.0), Tick("low", 1.0)),
)


@pytest.fixture
def axes() -> Axes:
    """Axes that nothing was drawn on."""
    return Figure().add_subplot()


def seen(axes: Axes) -> Picture:
    """The picture of axes."""
    return read_described(describe_axes(axes))


def label(axes: Axes, shift: float, rows: list[str] = ROWS, columns: list[str] = COLUMNS) -> None:
    """Label rows and columns whose middles are at whole numbers and this."""
    axes.set_xticks([shift + place for place in range(len(columns))], labels=columns)
    axes.set_yticks([shift + place for place in range(len(rows))], labels=rows)


def as_image(axes: Axes) -> None:
    """The plain way."""
    axes.imshow(TABLE)
    label(axes, 0)


def from_below(axes: Axes) -> None:
    """The rows the other way round, begun at the bottom."""
    axes.imshow(TABLE[::-1], origin="lower")
    label(axes, 0, ROWS[::-1])


def as_mesh(axes: Axes) -> None:
    """A mesh whose y axis was turned round."""
    axes.pcolormesh(TABLE)
    axes.invert_yaxis()
    label(axes, 0.5)


def as_polygons(axes: Axes) -> None:
    """The oldest way, mirrored twice."""
    axes.pcolor(TABLE[:, ::-1])
    axes.set_xlim(3, 0)
    axes.set_ylim(2, 0)
    label(axes, 0.5, columns=COLUMNS[::-1])


def in_an_extent(axes: Axes) -> None:
    """An image that was told where to lie."""
    axes.imshow(TABLE, extent=(10, 40, 2, 0), aspect="auto")
    axes.set_xticks([15, 25, 35], labels=COLUMNS)
    axes.set_yticks([0.5, 1.5], labels=ROWS)


def with_uneven_cells(axes: Axes) -> None:
    """A mesh with cells of several widths."""
    axes.pcolormesh([0, 1, 2, 10], [2, 1, 0], TABLE)
    axes.set_xticks([0.5, 1.5, 6], labels=COLUMNS)
    axes.set_yticks([1.5, 0.5], labels=ROWS)


FORMS = [as_image, from_below, as_mesh, as_polygons, in_an_extent, with_uneven_cells]


@pytest.mark.parametrize("draw", FORMS, ids=lambda draw: draw.__name__)
def test_a_table_is_seen_as_it_lies(draw: Callable[[Axes], None], axes: Axes) -> None:
    """The first row is the topmost on the canvas, and labels belong to the cells that they stand at."""
    draw(axes)

    picture = seen(axes)

    assert picture.image is not None
    assert TABLE.tolist() == picture.image.tolist()
    assert LABELLED == (picture.across, picture.down)
    assert (0, 3, 0, 2) == pytest.approx(picture.view)


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (lambda axes: axes.imshow(TABLE, origin="lower"), TABLE[::-1]),
        (lambda axes: axes.pcolormesh(TABLE), TABLE[::-1]),
        (lambda axes: axes.imshow(TABLE.T), TABLE.T),
        (lambda axes: (axes.imshow(TABLE), axes.invert_xaxis()), TABLE[:, ::-1]),
    ],
    ids=["lower origin", "mesh", "transposed", "x axis turned round"],
)
def test_a_table_that_lies_otherwise_is_seen_otherwise(draw: Any, expected: Any, axes: Axes) -> None:
    """No way of turning it round is overlooked."""
    draw(axes)

    image = seen(axes).image

    assert image is not None
    assert expected.tolist() == image.tolist()


def test_what_is_cut_off_is_not_in_view(axes: Axes) -> None:
    """Limits through the middle of the outermost cells; labels beyond the limits are not seen either."""
    axes.imshow(TABLE)
    label(axes, 0)
    axes.set_xlim(0, 1.2)

    picture = seen(axes)

    assert (0.5, 1.7, 0, 2) == pytest.approx(picture.view)
    assert ["left", "mid"] == [tick.text for tick in picture.across]


@pytest.mark.parametrize(
    ("change", "across", "down"),
    [
        (lambda axes: axes.tick_params(labelbottom=False, labeltop=True), 3, 2),
        (lambda axes: axes.tick_params(labelbottom=False), 0, 2),
        (lambda axes: axes.xaxis.set_visible(False), 0, 2),
        (lambda axes: axes.set_axis_off(), 0, 0),
        (lambda axes: axes.set_xticks([]), 0, 2),
    ],
    ids=["on top", "no labels", "axis hidden", "axes off", "no ticks"],
)
def test_labels_are_those_that_are_seen(change: Callable[[Axes], None], across: int, down: int, axes: Axes) -> None:
    """On whatever side, and not those that were switched off."""
    as_image(axes)
    change(axes)

    picture = seen(axes)

    assert (across, down) == (len(picture.across), len(picture.down))


def test_the_uppermost_image_is_the_one_that_is_seen(axes: Axes) -> None:
    """What lies below another is hidden; invisible ones and colours without values do not count."""
    axes.imshow(TABLE)
    axes.pcolormesh(TABLE * 2)
    axes.imshow(TABLE * 3).set_visible(False)
    axes.imshow(np.zeros((2, 3, 4)))

    image = seen(axes).image

    assert image is not None
    assert pytest.approx(1.2) == float(image.max())


def test_masked_cells_are_no_numbers(axes: Axes) -> None:
    """Nothing is drawn there."""
    axes.imshow(np.ma.masked_greater(TABLE, 0.55))

    image = seen(axes).image

    assert image is not None
    assert [[False] * 3, [False, False, True]] == image.isnan().tolist()


def test_axes_without_an_image_have_none(axes: Axes) -> None:
    """Lines are no table; positions are in the units of the data then."""
    axes.plot([1, 2, 4])
    axes.set_xticks([2], labels=["here"])

    picture = seen(axes)

    assert picture.image is None
    assert (Tick("here", 2.0),) == picture.across
    assert 0 == picture.colour_bars


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (4, 1)])
def test_single_rows_and_columns_have_places(shape: tuple[int, int], axes: Axes) -> None:
    """Nothing is divided by a number of gaps that is zero."""
    axes.imshow(np.zeros(shape))
    label(axes, 0, ["a"] * shape[0], ["a"] * shape[1])

    picture = seen(axes)

    assert list(range(shape[1])) == [tick.at for tick in picture.across]
    assert (0, shape[1], 0, shape[0]) == picture.view


def test_a_single_row_may_lie_upside_down(axes: Axes) -> None:
    """To NumPy such a row is as good as any; torch takes none that runs backwards."""
    axes.imshow(TABLE[:1], origin="lower")

    assert torch.equal(torch.from_numpy(TABLE[:1]), seen(axes).image)


def test_titles_and_limits_are_told(axes: Axes) -> None:
    """A title may stand on the left, too."""
    axes.set_title("Head 2", loc="left")
    axes.set(xlabel="key", ylabel="query")
    axes.imshow(TABLE, vmin=0, vmax=2)

    picture = seen(axes)

    assert ("Head 2", "key", "query", (0, 2)) == (
        picture.title,
        picture.x_label,
        picture.y_label,
        picture.colour_limits,
    )


def test_colour_bars_belong_to_their_axes() -> None:
    """Not to a neighbour; one that was cut off in axes of its own counts, and one that was removed does not."""
    figure = Figure()
    left, right, bar = figure.subplots(1, 3)
    drawn = left.imshow(TABLE)
    other = right.imshow(TABLE)
    figure.colorbar(drawn, ax=left)
    figure.colorbar(other, cax=bar)
    figure.colorbar(other, ax=right).remove()

    assert (1, 1) == (seen(left).colour_bars, seen(right).colour_bars)


@pytest.mark.parametrize(
    "make_room",
    [
        lambda axes: axes.inset_axes((1.05, 0, 0.05, 1)),
        lambda axes: axes.inset_axes((0, 0, 1, 1)).inset_axes((1.05, 0, 0.05, 1)),
        lambda axes: make_axes_locatable(axes).append_axes("right", size="5%"),
        lambda axes: inset_axes(axes, width="5%", height="90%"),
    ],
    ids=["inset", "inset of an inset", "cut off", "of the toolkit"],
)
def test_a_colour_bar_may_stand_in_an_inset(make_room: Callable[[Axes], Axes], axes: Axes) -> None:
    """The figure lists no inset of its axes; a hidden bar is none there either."""
    bar = axes.figure.colorbar(axes.imshow(TABLE), cax=make_room(axes))

    assert 1 == seen(axes).colour_bars
    bar.ax.set_visible(False)
    assert 0 == seen(axes).colour_bars


@pytest.mark.parametrize(
    ("expected", "told"),
    [
        (True, lambda axes: axes.images[-1]),
        (True, lambda _: ScalarMappable(Normalize(0, 1), "Blues")),
        (True, lambda axes: axes.imshow(TABLE, cmap="Blues", vmin=0, vmax=1, alpha=0.5, zorder=-1)),
        (False, lambda _: ScalarMappable(Normalize(0, 0.8), "Blues")),
        (False, lambda _: ScalarMappable(Normalize(0, 2), "Blues")),
        (False, lambda _: ScalarMappable(Normalize(0, 1), "Reds")),
        (False, lambda _: ScalarMappable(PowerNorm(2, 0, 1), "Blues")),
        (False, lambda axes: axes.imshow(TABLE, cmap="Blues", zorder=-1)),
    ],
    ids=["the image", "its scale", "one like it", "shorter", "longer", "other colours", "other steps", "one below it"],
)
def test_a_colour_bar_agrees_with_the_image_or_not(expected: bool, told: Callable[[Axes], Any], axes: Axes) -> None:
    """What it was made of is nobody's business; that its colours mean the same is."""
    axes.imshow(TABLE, cmap="Blues", vmin=0, vmax=1)
    axes.figure.colorbar(told(axes), ax=axes)

    picture = seen(axes)

    assert (1, expected) == (picture.colour_bars, picture.bars_agree)


@pytest.mark.parametrize(
    ("expected", "how"), [(False, {}), (False, {"interpolation": "nearest"}), (True, {"interpolation": "bilinear"})]
)
def test_cells_that_run_into_each_other_are_blurred(expected: bool, how: dict[str, str], axes: Axes) -> None:
    """The values are the same, and nobody can see them."""
    axes.imshow(TABLE, **how)

    assert expected is seen(axes).blurred


def test_meshes_are_sharp(axes: Axes) -> None:
    """They have no interpolation to ask for."""
    axes.pcolormesh(TABLE)

    assert seen(axes).blurred is False


# ---- Where it was drawn, and what was left behind -------------------------------------------------------------------


def watch(call: Callable[..., Any], *, with_axes: bool = False) -> Picture | None:
    """The picture of a call, which is handed axes if they are asked for."""
    with Easel(with_axes=with_axes) as easel:
        result = call(easel.axes) if with_axes else call()
        return read_picture(easel.describe(result))


def new_axes() -> Axes:
    """Axes in a figure of their own, drawn on."""
    _, axes = plt.subplots()
    axes.imshow(TABLE)
    return axes


def drawn_on(axes: Axes) -> Axes:
    """The same axes, drawn on."""
    axes.imshow(TABLE)
    return axes


def on_current_axes(*_: Axes) -> Axes:
    """Whatever axes are current, drawn on."""
    plt.imshow(TABLE)
    return plt.gca()


def test_axes_are_new_given_or_somebody_elses() -> None:
    """The current axes are the neighbour's, and no axes of a figure that was open before are new."""
    places = [
        watch(new_axes),
        watch(drawn_on, with_axes=True),
        watch(on_current_axes, with_axes=True),
        watch(on_current_axes),
        watch(lambda: drawn_on(Figure().add_subplot())),
    ]

    assert ["new", "given", "other", "other", "new"] == [picture.place for picture in places if picture]
    assert all(picture and picture.is_returned and picture.image is not None for picture in places)


def test_drawing_beside_the_given_axes_disturbs() -> None:
    """A neighbour that holds something now; a colour bar holds something by nature."""

    def with_bar(axes: Axes) -> Axes:
        axes.figure.colorbar(axes.imshow(TABLE), ax=axes)
        return axes

    def twice(axes: Axes) -> Axes:
        on_current_axes()
        return drawn_on(axes)

    quiet, loud = watch(with_bar, with_axes=True), watch(twice, with_axes=True)

    assert quiet
    assert loud
    assert (False, True, 1) == (quiet.disturbs, loud.disturbs, quiet.colour_bars)


def test_figures_beside_the_one_are_strays() -> None:
    """One that is opened in any case stays behind."""

    def both(axes: Axes | None = None) -> Axes:
        plt.figure()
        return new_axes() if axes is None else drawn_on(axes)

    assert [1, 1, 0] == [
        picture.stray_figures for picture in (watch(both), watch(both, with_axes=True), watch(new_axes)) if picture
    ]


@pytest.mark.parametrize(
    "returned",
    [
        lambda _: None,
        lambda axes: axes.figure,
        lambda axes: (axes.figure, axes),
        lambda axes: axes.images[0],
        lambda axes: np.array([axes]),
    ],
    ids=["nothing", "figure", "pair", "image", "array"],
)
def test_what_was_drawn_is_found_whatever_is_returned(returned: Callable[[Axes], Any]) -> None:
    """That another thing came back is told, and is all that is wrong."""
    for picture in (
        watch(lambda: returned(new_axes())),
        watch(lambda axes: returned(drawn_on(axes)), with_axes=True),
    ):
        assert picture
        assert not picture.is_returned
        assert picture.image is not None


def test_what_an_earlier_call_left_open_is_not_taken_for_it() -> None:
    """Unless nothing else was drawn on: code may keep a figure of its own."""
    kept = plt.figure().gca()
    kept.imshow(TABLE.T)

    def nothing_returned() -> None:
        new_axes()

    drawn, redrawn = watch(nothing_returned), watch(lambda: kept.set_title("again") and None)

    assert drawn
    assert redrawn
    assert ((2, 3), "new") == (tuple(drawn.image.shape), drawn.place)
    assert ("again", "other") == (redrawn.title, redrawn.place)
    plt.close(kept.figure)


def test_nothing_drawn_is_nothing() -> None:
    """Neither a number nor an empty call is a picture."""
    assert watch(lambda: 3) is None
    assert watch(lambda _: None, with_axes=True) is None


def test_what_is_shown_saved_or_closed_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """However show was imported, on a machine with a display and on one without; and no file is written."""
    from matplotlib.pyplot import savefig, show

    def shown() -> Axes:
        axes = new_axes()
        show()
        return axes

    def saved() -> Axes:
        axes = new_axes()
        savefig(tmp_path / "one.png")
        axes.figure.savefig(tmp_path / "two.pdf", bbox_inches="tight")  # type: ignore[union-attr]
        return axes

    def closed() -> Axes:
        axes = new_axes()
        plt.close()
        return axes

    for display in ("", ":0"):
        monkeypatch.setenv("DISPLAY", display)
        pictures = [picture for picture in map(watch, (new_axes, shown, saved, closed)) if picture]
        told = [(picture.shown, picture.saved, picture.closed) for picture in pictures]

        assert [(False, False, False), (True, False, False), (False, True, False), (False, False, True)] == told
    assert [] == list(tmp_path.iterdir())


def test_a_call_that_is_no_picture_saves_nothing_either(tmp_path: Path) -> None:
    """Known code runs in this process, where nothing else would keep it from writing."""
    save = f"Figure().savefig({str(tmp_path / 'x.png')!r})"
    text = f"from matplotlib.figure import Figure\ndef f():\n    {save}\n    return 1"
    reply = load_known_code(text, "f", [], ["f"]).perform(
        {"op": "call", "target": "f", "args": (), "seed": 1, "device": "cpu"}
    )

    assert (True, 1) == (reply["ok"], reply["value"])
    assert [] == list(tmp_path.iterdir())


def test_nothing_is_left_behind() -> None:
    """Figures that a call opens are closed afterwards, also when it raises; those of before stay."""
    before = plt.figure()

    watch(new_axes)
    with pytest.raises(ZeroDivisionError), Easel(with_axes=True):
        raise ZeroDivisionError(new_axes())

    assert [before.number] == plt.get_fignums()
    plt.close(before)


def test_letters_that_a_font_lacks_are_no_news() -> None:
    """They would fill a learner's output with warnings."""

    def laid_out() -> Axes:
        axes = new_axes()
        axes.set_title("猫")
        axes.figure.canvas.draw()
        return axes

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        watch(laid_out)

    assert [] == told


# ---- What does not depend on taste ----------------------------------------------------------------------------------


def test_taste_is_left_out() -> None:
    """Words of the title, axis labels, the numbers that matplotlib writes, and whether it was an image or a mesh."""
    plain, fancy = Figure().add_subplot(), Figure().add_subplot()
    plain.imshow(TABLE)
    plain.set_title("Head 2")
    fancy.pcolormesh(TABLE)
    fancy.set_ylim(2, 0)
    fancy.set(title="What head 2 looks at", xlabel="key")

    ours, theirs = seen(plain).same_to_a_viewer(), seen(fancy).same_to_a_viewer()

    assert torch.equal(ours.pop("image"), theirs.pop("image"))
    assert ours == theirs


@pytest.mark.parametrize(
    "change",
    [
        lambda axes: axes.set_title("Head 3"),
        lambda axes: axes.set_title(""),
        lambda axes: axes.images[0].set_clim(0, 3),
        lambda axes: axes.set_xticks([0], labels=["a"]),
        lambda axes: axes.set_xlim(0, 2),
        lambda axes: axes.figure.colorbar(axes.images[0]),
        lambda axes: axes.figure.colorbar(ScalarMappable(), ax=axes),
        lambda axes: axes.images[0].set_interpolation("bicubic"),
    ],
)
def test_what_matters_is_not_left_out(change: Callable[[Axes], Any], axes: Axes) -> None:
    """A number in the title, whether there is one, the ends of the colours, labels, limits, colour bars and blur."""
    as_image(axes)
    axes.set_title("Head 2")
    before = seen(axes).same_to_a_viewer()

    change(axes)

    after = seen(axes).same_to_a_viewer()
    assert any(before[key] != after[key] for key in before if key != "image")


# ---- What a worker says is a claim ----------------------------------------------------------------------------------

SAID = describe_axes(Figure().add_subplot()) | {
    "is_returned": True,
    "place": "new",
    "disturbs": False,
    "stray_figures": 0,
    "shown": False,
    "saved": False,
    "closed": False,
}


@pytest.mark.parametrize(
    "forged",
    [
        3,
        {},
        SAID | {"more": 1},
        SAID | {"image": torch.zeros(2)},
        SAID | {"image": torch.zeros(2, 2)},
        SAID | {"image": [[1.0]]},
        SAID | {"across": None},
        SAID | {"across": [["a", 1]]},
        SAID | {"across": [["a", 1.0]] * 501},
        SAID | {"view": [0.0, 1.0, 2.0]},
        SAID | {"view": [0.0, 1.0, 2.0, "3"]},
        SAID | {"colour_limits": [0, 1]},
        SAID | {"title": None},
        SAID | {"place": "nowhere"},
        SAID | {"colour_bars": True},
        SAID | {"bars_agree": 1},
        SAID | {"blurred": None},
        SAID | {"shown": 1},
    ],
)
def test_what_is_no_picture_is_refused(forged: Any) -> None:
    """Every part has its type and its size."""
    assert read_picture(SAID) is not None

    with pytest.raises(ValueError, match="picture|image|tick|numbers"):
        read_picture(forged)


def test_a_forged_picture_is_a_disturbance() -> None:
    """It gets the verdict that every forged answer gets."""
    for reply in ({"picture": {"title": 3}}, {}):
        answer = {"ok": True, "value": None, "changed": [], "devices": [], **reply}
        learner = RemoteLearner(Conversation(lambda *_, answer=answer: answer, 1))

        with pytest.raises(LearnerProblem) as caught:
            learner.plot.picture()

        assert (Verdict.CRASHED, "ProtocolError") == (caught.value.verdict, caught.value.type_name)


PLOT = """
import matplotlib.pyplot as plt

def plot(x, ax=None, factor=1):
    if ax is None:
        _, ax = plt.subplots()
    ax.imshow(x.numpy() * factor)
    return ax

def broken():
    raise KeyError("no")
"""


@pytest.fixture
def learner() -> RemoteLearner:
    """Code that plots, asked as in a worker."""
    modules = LearnerModules([LearnerFile("plot.py", False, (("", PLOT),))], ("plot",))
    with modules.installed():
        executor = Executor(modules.load("plot.py"), modules)
    return RemoteLearner(Conversation(lambda request, _: executor.perform(request), 1))


def test_a_suite_asks_for_a_picture(learner: RemoteLearner) -> None:
    """Axes are handed over at the position that is named, between other arguments."""
    x = torch.ones(2, 3)

    alone, given = learner.plot.picture(x), learner.plot.picture(x, 2, axes_at=1)

    assert alone
    assert given
    assert ("new", "given", 1.0, 2.0) == (alone.place, given.place, float(alone.image.max()), float(given.image.max()))


def test_arguments_can_be_part_of_a_graph(learner: RemoteLearner) -> None:
    """As what comes out of a model is; NumPy refuses to read it."""
    with pytest.raises(LearnerProblem, match="RuntimeError"):
        learner.plot.picture(torch.ones(2, 3), in_graph=True)


def test_what_the_code_raises_is_its_own_while_it_draws(learner: RemoteLearner) -> None:
    """As in any other call."""
    with pytest.raises(LearnerProblem, match="KeyError"):
        learner.broken.picture()
