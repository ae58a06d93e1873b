"""
Tell in plain values what a call drew with matplotlib: what a viewer would see, and where it was drawn.

The worker describes the axes that a learner's function drew on, since axes do not cross; the trusted side reads the
description as strictly as everything else that a worker says. matplotlib is imported only where code has named it.
"""

import contextlib
import itertools
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

MOST_CELLS: Final = 1_000_000
MOST_TICKS: Final = 500
LONGEST_TEXT: Final = 300

_FLAGS_OF_THE_CALL: Final = ("is_returned", "disturbs", "shown", "saved", "closed")
_PLACES: Final = ("given", "new", "other")
_NUMBER: Final = re.compile(r"\d+")
_SHARP: Final = ("none", "nearest", "auto", "antialiased")
"""How cells may be drawn and stay cells: the last two smooth only what is smaller than a few points."""
_SAME_LIMITS: Final = 1e-3
"""Of the scale: far more than rounding, and far less than anybody sees."""
_SAME_COLOUR: Final = 0.02
"""So far apart are neighbours of a map's 256 colours, which rounding may exchange."""
_PLAIN_NUMBER: Final = re.compile(r"[-−+]?[\d.,]+(?:e[-−+]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Tick:
    """A label beside the image."""

    text: str
    at: float
    """Where it stands, counted in cells from the left or from the top: 0 is the middle of the first cell."""


@dataclass(frozen=True)
class Picture:
    """
    What a viewer sees on the axes that a call drew on. All of it is the worker's claim, as every value is.

    Where there is no image, positions are in the units of the data.
    """

    image: torch.Tensor | None
    """The drawn values, float64 (rows, columns): row 0 is the topmost that a viewer sees, column 0 the leftmost. NaN
    where nothing is drawn. The uppermost image or mesh, if there are several; None if there is none with one value a
    cell."""
    blurred: bool
    """Whether the colours of neighbouring cells run into each other."""
    across: tuple[Tick, ...]
    """Labels below or above the image, from left to right."""
    down: tuple[Tick, ...]
    """Labels beside the image, from top to bottom."""
    view: tuple[float, float, float, float]
    """What the axes show: left, right, top, bottom, in cells. The whole image is (0, columns, 0, rows)."""
    title: str
    x_label: str
    y_label: str
    colour_limits: tuple[float, float]
    """The values at the two ends of the colour scale; NaN if there are none."""
    colour_bars: int
    """How many colour bars belong to these axes."""
    bars_agree: bool
    """Whether each of them gives a value the colour that the image gives it."""
    is_returned: bool
    """Whether the call returned these very axes, and not nothing, a figure or a part of them."""
    place: str
    """``given``: the axes that were handed over; ``new``: axes that the call made; ``other``: axes that were there
    before, and that nobody handed over."""
    disturbs: bool
    """Whether anything was drawn on axes that were there before besides."""
    stray_figures: int
    """How many further figures the call opened and left."""
    shown: bool
    """Whether the call showed figures, which stops a program until somebody closes their windows."""
    saved: bool
    """Whether the call wrote a figure to a file."""
    closed: bool
    """Whether the call closed the figure that the axes are on."""

    def same_to_a_viewer(self) -> dict[str, Any]:
        """
        Return what does not depend on taste: two forms of the same code agree in it.

        The wording of a title is left out, but not the numbers in it; axis labels are left out, and tick labels that
        are mere numbers, which matplotlib writes where nobody asked for labels.
        """
        return {
            "image": self.image,
            "blurred": self.blurred,
            "across": [[tick.text, tick.at] for tick in self.across if not _PLAIN_NUMBER.fullmatch(tick.text)],
            "down": [[tick.text, tick.at] for tick in self.down if not _PLAIN_NUMBER.fullmatch(tick.text)],
            "view": list(self.view),
            "title": [bool(self.title), sorted(set(_NUMBER.findall(self.title)))],
            "colour_limits": list(self.colour_limits),
            "colour_bars": [self.colour_bars, self.bars_agree],
            "where": [self.is_returned, self.place, self.disturbs, self.stray_figures],
            "left": [self.shown, self.saved, self.closed],
        }


def read_picture(said: Any) -> Picture | None:
    """
    Return the picture that a worker describes; None if it says that nothing was drawn.

    Raises:
        ValueError: If it is no description.
    """
    if said is None:
        return None
    if type(said) is not dict or said.keys() != Picture.__annotations__.keys():
        raise ValueError("a picture with other parts than it has")
    image = said["image"]
    if image is not None and (type(image) is not torch.Tensor or image.dim() != 2 or image.dtype != torch.float64):
        raise ValueError("an image that is none")
    texts = {name: said[name] for name in ("title", "x_label", "y_label", "place")}
    flags = {name: said[name] for name in ("blurred", "bars_agree", *_FLAGS_OF_THE_CALL)}
    counts = {name: said[name] for name in ("colour_bars", "stray_figures")}
    for values, kind in ((texts, str), (flags, bool), (counts, int)):
        if any(type(value) is not kind for value in values.values()):
            raise ValueError("a picture with parts of other types")
    if said["place"] not in _PLACES:
        raise ValueError("a picture in no place")
    left, right, top, bottom = _numbers(said["view"], 4)
    lowest, highest = _numbers(said["colour_limits"], 2)
    return Picture(
        image=image,
        across=_read_ticks(said["across"]),
        down=_read_ticks(said["down"]),
        view=(left, right, top, bottom),
        colour_limits=(lowest, highest),
        **texts,
        **flags,
        **counts,
    )


def read_described(described: dict[str, Any]) -> Picture:
    """Return the picture of axes of our own, from `describe_axes`."""
    picture = read_picture(
        {
            **described,
            "is_returned": True,
            "place": "new",
            "disturbs": False,
            "stray_figures": 0,
            "shown": False,
            "saved": False,
            "closed": False,
        }
    )
    assert picture is not None
    return picture


def _read_ticks(said: Any) -> tuple[Tick, ...]:
    if type(said) is not list or len(said) > MOST_TICKS:
        raise ValueError("ticks that are none")
    ticks = []
    for entry in said:
        if type(entry) is not list or [type(part) for part in entry] != [str, float]:
            raise ValueError("a tick that is none")
        ticks.append(Tick(entry[0][:LONGEST_TEXT], entry[1]))
    return tuple(ticks)


def _numbers(said: Any, count: int) -> list[float]:
    if type(said) is not list or [type(number) for number in said] != [float] * count:
        raise ValueError("numbers that are none")
    return said


class Easel:
    """
    Watches one call that draws, and describes what it drew.

    An empty figure of somebody else's is open meanwhile, so that it comes to light when a call draws on whatever is
    there. Afterwards all figures that were opened are closed.

    Args:
        with_axes: Whether to make axes to hand to the call: the left ones of two, of which the right ones are current.
    """

    def __init__(self, *, with_axes: bool) -> None:
        # Code that never named matplotlib draws nothing, and importing it in a jail would take long.
        self._plt: Any = sys.modules.get("matplotlib.pyplot")
        self._with_axes = with_axes
        self._went_out: set[str] = set()
        self._stack = contextlib.ExitStack()
        self.axes: Axes | None = None

    def __enter__(self) -> "Easel":
        if self._plt is not None:
            self._stack.enter_context(warnings.catch_warnings())
            # Fonts lack letters of some languages; a picture with boxes in their place says the same here.
            warnings.filterwarnings("ignore", r"Glyph \d+", UserWarning)
            self._stack.enter_context(figures_kept_in(self._went_out.add))
            self._stack.enter_context(self._closing_figures())
            self._figure = self._plt.figure()
            if self._with_axes:
                self.axes, _ = (self._figure.add_subplot(1, 2, number) for number in (1, 2))
            self._open = set(self._plt.get_fignums())
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def describe(self, result: Any) -> dict[str, Any] | None:
        """Return what `read_picture` reads, for a call that returned this."""
        if self._plt is None:
            return None
        axes = self._axes_of(result)
        if axes is None:
            return None
        figure = axes.figure.figure  # of a part of a figure, the whole
        opened = {number: self._plt.figure(number) for number in self._plt.get_fignums() if number not in self._open}
        others = [other for other in self._figure.axes if other is not axes and _colour_bar_in(other) is None]
        number = getattr(figure, "number", None)  # as pyplot counts figures; those that it did not make have none
        return {
            **describe_axes(axes),
            "is_returned": axes is result,
            "place": "given" if axes is self.axes else "other" if number in self._open else "new",
            "disturbs": any(other.has_data() for other in others),
            "stray_figures": sum(other is not figure for other in opened.values()),
            "shown": "shown" in self._went_out,
            "saved": "saved" in self._went_out,
            "closed": number is not None and not self._plt.fignum_exists(number),
        }

    def _axes_of(self, result: Any) -> "Axes | None":
        """Return the axes that were drawn on: those that were returned, or else the likeliest."""
        returned = next(_axes_in(result), None)
        if returned is not None and returned is result:
            return returned
        # Where it could be meant to be, then where it was made, then what an earlier call may have left open.
        numbers = self._plt.get_fignums()
        numbers.sort(key=lambda number: (number != self._figure.number, number in self._open))
        open_now = (axes for number in numbers for axes in self._plt.figure(number).axes)
        drawn = (axes for axes in itertools.chain(_axes_in(result), open_now) if _colour_bar_in(axes) is None)
        return next((axes for axes in drawn if _uppermost(axes) is not None), returned)

    @contextlib.contextmanager
    def _closing_figures(self) -> Iterator[None]:
        before = set(self._plt.get_fignums())
        try:
            yield
        finally:
            for number in set(self._plt.get_fignums()) - before:
                self._plt.close(number)


@contextlib.contextmanager
def figures_kept_in(notice: Callable[[str], None] = lambda _: None) -> Iterator[None]:
    """
    Show and save no figure, of pyplot or not and however `show` and `savefig` were imported.

    Args:
        notice: Is told ``shown`` or ``saved`` each time.
    """
    if "matplotlib.pyplot" not in sys.modules:
        yield
        return
    from matplotlib.backend_bases import FigureCanvasBase, FigureManagerBase

    def show(*_: object, **__: object) -> None:
        notice("shown")

    def save(*_: object, **__: object) -> None:
        notice("saved")

    originals = FigureManagerBase.show, FigureCanvasBase.print_figure
    FigureManagerBase.show, FigureCanvasBase.print_figure = show, save  # type: ignore[method-assign]
    try:
        yield
    finally:
        FigureManagerBase.show, FigureCanvasBase.print_figure = originals  # type: ignore[method-assign]


def describe_axes(axes: "Axes") -> dict[str, Any]:
    """Return what a viewer sees on these axes; see `Picture`."""
    drawn = _uppermost(axes)
    grid = _Grid(axes, drawn)
    figure: Figure = axes.figure.figure
    bars = [bar for bar in _colour_bars_in(figure) if getattr(bar.mappable, "axes", axes) in (axes, None)]
    left, right = sorted(grid.across(np.array(axes.get_xlim())))
    top, bottom = sorted(grid.down(np.array(axes.get_ylim())))
    titles = [axes.get_title(place) for place in ("left", "center", "right")]
    return {
        "image": grid.image,
        "blurred": getattr(drawn, "get_interpolation", lambda: "none")() not in _SHARP,
        "across": _ticks(axes, axes.xaxis, grid.across, (left, right), grid.half),
        "down": _ticks(axes, axes.yaxis, grid.down, (top, bottom), grid.half),
        "view": [float(left), float(right), float(top), float(bottom)],
        "title": " ".join(title for title in titles if title.strip())[:LONGEST_TEXT],
        "x_label": axes.get_xlabel()[:LONGEST_TEXT],
        "y_label": axes.get_ylabel()[:LONGEST_TEXT],
        "colour_limits": [float("nan")] * 2 if drawn is None else _limits_of(drawn),
        "colour_bars": len(bars),
        "bars_agree": all(_same_colours(bar.mappable, drawn) for bar in bars),
    }


def _axes_in(result: Any) -> "Iterator[Axes]":
    """Yield the axes that a returned value is, holds or belongs to."""
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    if isinstance(result, Axes):
        yield result
    elif isinstance(result, (Figure, SubFigure)):
        yield from result.axes
    elif isinstance(result, Artist):
        if isinstance(result.axes, Axes):
            yield result.axes
    elif isinstance(result, (tuple, list, np.ndarray)):
        for part in itertools.islice(np.ravel(np.array(result, dtype=object)), 50):
            yield from _axes_in(part)


def _colour_bar_in(axes: "Axes") -> Any:
    """Return the colour bar that these axes were made for, if they were."""
    return getattr(axes, "_colorbar", None)  # matplotlib keeps it nowhere public


def _colour_bars_in(figure: "Figure") -> "Iterator[Any]":
    """Yield the visible colour bars of a figure, insets of other axes among them."""
    waiting: list[Any] = list(figure.axes)
    while waiting:
        axes = waiting.pop()
        waiting += axes.child_axes  # which no list of the figure's holds
        bar = _colour_bar_in(axes)
        if bar is not None and axes.get_visible():
            yield bar


def _same_colours(told: Any, drawn: Any) -> bool:
    """Tell whether a colour bar's values have the colours of the image or mesh, and reach as far."""
    if told is drawn or drawn is None:
        return True
    theirs, ours = (np.array(_limits_of(each)) for each in (told, drawn))
    if not np.allclose(theirs, ours, rtol=0, atol=_SAME_LIMITS * abs(ours[1] - ours[0])):
        return False
    values = np.linspace(ours[0], ours[1], 64)
    return bool(np.allclose(told.to_rgba(values), drawn.to_rgba(values), rtol=0, atol=_SAME_COLOUR))


def _limits_of(coloured: Any) -> list[float]:
    """Return the values at the ends of the colours of an image, a mesh or what a colour bar was made of."""
    return [float("nan") if limit is None else float(limit) for limit in coloured.get_clim()]


def _uppermost(axes: "Axes") -> Any:
    """Return the image or mesh with one value a cell that a viewer sees, or None."""
    drawn = [*axes.images, *(part for part in axes.collections if hasattr(part, "get_coordinates"))]
    usable = [part for part in drawn if part.get_visible() and _values_of(part) is not None]
    return max(usable, key=lambda part: part.get_zorder(), default=None) if usable else None


def _values_of(drawn: Any) -> Any:
    """Return a masked array (rows, columns), or None where colours were drawn, or more than can cross."""
    values = drawn.get_array()
    if values is None or not 0 < np.size(values) <= MOST_CELLS or np.asarray(values).dtype.kind not in "biuf":
        return None
    if hasattr(drawn, "get_coordinates"):
        rows, columns, _ = drawn.get_coordinates().shape
        return values.reshape(rows - 1, columns - 1) if values.size == (rows - 1) * (columns - 1) else None
    return values if np.ndim(values) == 2 else None


class _Grid:
    """Turns positions on axes into cells of what is drawn there, as a viewer would count them."""

    def __init__(self, axes: "Axes", drawn: Any) -> None:
        self.image: torch.Tensor | None = None
        self._columns = self._rows = np.array([0.0, 1.0])
        self._flips = (False, False)
        self._unit = drawn is None
        if drawn is None:
            return
        values = np.ma.filled(np.ma.asarray(_values_of(drawn), dtype=np.float64), np.nan)
        self._columns, self._rows = _edges(drawn, values.shape)
        # From the place on the canvas, which every way of turning an axis round ends in.
        corners = np.stack([self._columns[[0, -1]], self._rows[[0, -1]]], axis=1)
        (x_first, y_first), (x_last, y_last) = axes.transData.transform(corners)
        self._flips = (bool(x_first > x_last), bool(y_first < y_last))
        values = values[:: -1 if self._flips[1] else 1, :: -1 if self._flips[0] else 1]
        self.image = torch.from_numpy(values.copy())  # as torch wants it: a turned row of one is contiguous to NumPy

    def across(self, positions: Any) -> Any:
        """Return positions on the x axis in cells from the left edge."""
        return positions if self._unit else _cells(positions, self._columns, flip=self._flips[0])

    def down(self, positions: Any) -> Any:
        """Return positions on the y axis in cells from the top edge."""
        return positions if self._unit else _cells(positions, self._rows, flip=self._flips[1])

    @property
    def half(self) -> float:
        """How far the middle of a cell is from its edge."""
        return 0.0 if self._unit else 0.5


def _edges(drawn: Any, shape: Sequence[int]) -> tuple[Any, Any]:
    """Return where columns and rows begin and end in the units of the axes, from the first row and column on."""
    if hasattr(drawn, "get_coordinates"):
        coordinates = drawn.get_coordinates()
        return np.asarray(coordinates[0, :, 0]), np.asarray(coordinates[:, 0, 1])
    left, right, bottom, top = drawn.get_extent()
    first, last = (top, bottom) if drawn.origin == "upper" else (bottom, top)
    return np.linspace(left, right, shape[1] + 1), np.linspace(first, last, shape[0] + 1)


def _cells(positions: Any, edges: Any, *, flip: bool) -> Any:
    count = len(edges) - 1
    if np.allclose(np.diff(edges), (edges[-1] - edges[0]) / count):
        cells = (positions - edges[0]) / (edges[-1] - edges[0]) * count
    else:
        order = np.argsort(edges)
        cells = np.interp(positions, edges[order], np.arange(count + 1)[order])
    return count - cells if flip else cells


def _ticks(axes: "Axes", axis: "Axis", to_cells: Any, view: tuple[float, float], half: float) -> list[list[Any]]:
    """Return the labels that a viewer sees along an axis, in the order of their places."""
    if not axes.axison or not axis.get_visible():
        return []
    axis.get_ticklabels(which="both")  # lets formatters write them
    found = []
    for tick in itertools.islice(itertools.chain(axis.get_major_ticks(), axis.get_minor_ticks()), MOST_TICKS):
        texts = (label.get_text().strip() for label in (tick.label1, tick.label2) if label.get_visible())
        text = next(filter(None, texts), "")
        at = float(to_cells(np.array(tick.get_loc())))
        if text and view[0] - 1e-6 <= at <= view[1] + 1e-6:
            found.append([text[:LONGEST_TEXT], at - half])
    return sorted(found, key=lambda tick: tick[1])
