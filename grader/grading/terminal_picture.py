"""Draw a figure with characters: tables as shades, lines as plots."""

import itertools
import unicodedata
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from grader.sandbox.picture import Picture, describe_axes, read_described

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SHADES: Final = "·░▒▓█"
_MARKERS: Final = "ox+*"
_PLOT_LINES: Final = 16
_LONGEST_LABEL: Final = 12


def draw_for_terminal(figure: "Figure", columns: int) -> str:
    """
    Return lines that show a figure's axes one below another; colour bars become a line that names the shades.

    Args:
        figure: Axes with one image each, or with lines.
        columns: How wide it may be, in characters.
    """
    parts = []
    for axes in figure.axes:
        if axes.images:
            parts.append(_table(axes, read_described(describe_axes(axes)), columns))
        elif axes.lines and axes.axison:
            parts.append(_plot(axes, columns))
    return "\n\n".join(parts)


def _table(axes: "Axes", picture: Picture, columns: int) -> str:
    """Return a table of shades, or of the texts that its cells hold."""
    assert picture.image is not None
    image = picture.image.numpy()
    low, high = picture.colour_limits
    levels = np.clip(np.nan_to_num((image - low) / max(high - low, 1e-12)), 0, 1)
    shades = np.array(list(_SHADES))[np.round(levels * (len(_SHADES) - 1)).astype(int)]
    cells = [[str(shade) * 2 for shade in row] for row in shades]
    texts = {(round(y), round(x)): text.get_text() for text in axes.texts for x, y in [text.get_position()]}
    if texts:
        widest = max(map(len, texts.values())) + 1
        cells = [[texts.get((i, j), "").ljust(widest) for j in range(len(row))] for i, row in enumerate(cells)]
    labels = {round(tick.at): tick.text[:_LONGEST_LABEL] for tick in picture.down}
    margin = max(map(_width, labels.values()), default=0)
    if cells and margin + 1 + sum(map(len, cells[0])) > columns:
        cells = [[cell[:1] for cell in row] for row in cells]
    lines = [f"{_right(labels.get(number, ''), margin)} {''.join(row)}" for number, row in enumerate(cells)]
    if not texts:
        lines += [" " * (margin + 1) + line for line in _labels_below(picture, len(cells[0]), len(cells[0][0]))]
        lines.append(f"{' ' * (margin + 1)}{_SHADES[0]} {low:g}  to  {_SHADES[-1]} {high:g}")
    return "\n".join(line.rstrip() for line in ([picture.title] if picture.title else []) + lines)


def _labels_below(picture: Picture, count: int, width: int) -> list[str]:
    """Return the labels of columns, written from top to bottom."""
    labels = {round(tick.at): tick.text[:_LONGEST_LABEL] for tick in picture.across}
    names = [labels.get(number, "") for number in range(count)]
    return ["".join(letter.ljust(width) for letter in row) for row in itertools.zip_longest(*names, fillvalue=" ")]


def _plot(axes: "Axes", columns: int) -> str:
    """Return the lines of axes, each drawn with a character of its own."""
    import plotext

    plot = plotext.figure
    plot.clear()
    plot.theme("colorless")
    plot.plot_size(columns, _PLOT_LINES)
    plot.legend(active=False)
    x_to, y_to = (np.log2 if scale == "log" else _same for scale in (axes.get_xscale(), axes.get_yscale()))
    named = []
    for line, marker in zip(axes.lines, itertools.cycle(_MARKERS), strict=False):
        with np.errstate(invalid="ignore", divide="ignore"):
            x, y = (to(np.asarray(values, float)) for to, values in zip((x_to, y_to), line.get_data(), strict=True))
        keep = np.isfinite(x) & np.isfinite(y)
        plot.draw(plot.signal(x[keep].tolist(), y[keep].tolist(), marker=marker).lines(active=True))
        label = str(line.get_label())
        if not label.startswith("_"):
            named.append(f"{marker} {label}")
    for name, axis, to, limits in (
        ("x", axes.xaxis, x_to, axes.get_xlim()),
        ("y", axes.yaxis, y_to, axes.get_ylim()),
    ):
        ticks = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
        shown = [(float(to(at)), text.get_text()) for at, text in ticks if min(limits) <= at <= max(limits)]
        plot.ruler(name).ticks([at for at, _ in shown], [text for _, text in shown])
        plot.ruler(name).lim(*map(float, map(to, sorted(limits))))
    plot.label(axes.get_xlabel(), axis="x")
    heading = [text for text in (axes.get_title(loc="left"), axes.get_ylabel(), "   ".join(named)) if text]
    drawn = plotext.uncolorize(str(plot.build())).splitlines()
    return "\n".join([*heading, *(line.rstrip() for line in drawn)])


def _same(values: Any) -> Any:
    return values


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _right(text: str, width: int) -> str:
    return " " * (width - _width(text)) + text
