"""Draw values that a learner's code returned: tables as heatmaps, curves, and what it drew itself once more."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from grader.sandbox.picture import Picture, Tick

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.image import AxesImage

COLOURS = "viridis"
"""Light and dark pages both let its two ends be seen."""


def heatmap(
    axes: "Axes",
    image: torch.Tensor,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    *,
    limits: tuple[float, float] = (0.0, 1.0),
    colours: "str | Colormap" = COLOURS,
    square: bool = True,
) -> "AxesImage":
    """
    Draw a table, the first row on top.

    Args:
        axes: Where to.
        image: Tensor (rows, columns).
        rows: A label for each row, or none.
        columns: A label for each column, or none.
        limits: The values at the two ends of the colours.
        colours: A matplotlib colour map, or its name.
        square: Whether cells are squares; they fill the axes if not.
    """
    drawn = axes.imshow(
        image.detach().double().numpy(),
        vmin=limits[0],
        vmax=limits[1],
        cmap=colours,
        aspect="equal" if square else "auto",
    )
    axes.set_xticks(range(len(columns)), labels=columns, rotation=90)
    axes.set_yticks(range(len(rows)), labels=rows)
    if rows and columns:  # lines between the cells of a table that is read cell by cell
        axes.set_xticks([column - 0.5 for column in range(1, len(columns))], minor=True)
        axes.set_yticks([row - 0.5 for row in range(1, len(rows))], minor=True)
        axes.grid(which="minor")
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    return drawn


def double_along_x(axes: "Axes", marked: Sequence[int]) -> None:
    """Let a doubling be an equal step along the x axis, and mark these numbers."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(marked, labels=[str(number) for number in marked])


def redraw(axes: "Axes", picture: Picture) -> None:
    """Draw what a call drew once more, from its description: image, labels, limits, title and colour bar."""
    assert picture.image is not None
    low, high = picture.colour_limits
    drawn = axes.imshow(picture.image.numpy(), vmin=low, vmax=high, cmap=COLOURS)
    for axis, ticks in ((axes.xaxis, picture.across), (axes.yaxis, picture.down)):
        _label(axis, ticks)
    axes.tick_params(axis="x", rotation=90)
    left, right, top, bottom = (edge - 0.5 for edge in picture.view)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.set_title(picture.title)
    axes.set_xlabel(picture.x_label)
    axes.set_ylabel(picture.y_label)
    for _ in range(min(picture.colour_bars, 2)):
        axes.figure.colorbar(drawn, ax=axes, shrink=0.8)


def _label(axis: Any, ticks: Sequence[Tick]) -> None:
    axis.set_ticks([tick.at for tick in ticks], labels=[tick.text for tick in ticks])
