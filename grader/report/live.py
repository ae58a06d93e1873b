"""Show how grading goes while it goes: one line for each exercise."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from grader.model.report import ExerciseReport
from grader.model.verdict import Verdict
from grader.report import outline, sentences
from grader.report.columns import pad
from grader.report.harmless import encodable, harmless_line, shorten
from grader.report.terminal import STYLES, has_symbols, sign_of

_REDRAWS_PER_S = 8
"""Enough for a clock that runs, and one redraw in this time costs nothing that a learner could feel."""
_BAR_COLUMNS = 12
_SIGNS_SHOWN = 40
_WITH_TITLES = 100
"""From this many columns on, there is room for the titles of the exercises."""


@dataclass
class _Line:
    """What is known of one exercise so far."""

    title: str
    checks: int
    started_s: float
    verdicts: list[Verdict] = field(default_factory=list)
    report: ExerciseReport | None = None


def start_live(
    console: Console, draw: Callable[[], RenderableType], redraws_per_s: int, *, transient: bool = False
) -> Live | None:
    """Begin to draw on a terminal again and again; None where nothing can be drawn twice in one place."""
    if not console.is_terminal or console.is_dumb_terminal:
        return None
    live = Live(
        get_renderable=draw,
        console=console,
        refresh_per_second=redraws_per_s,
        transient=transient,
        # The learner's prints are captured elsewhere; what is left to print here is meant for the screen.
        redirect_stdout=False,
        redirect_stderr=False,
    )
    live.start()
    return live


def write_plain(console: Console, line: str) -> None:
    """Write a line straight to the file: rich would wrap it at a width that a log file does not have."""
    console.file.write(line + "\n")
    console.file.flush()


class LiveView:
    """
    A context manager to which the runner tells what happens.

    On a terminal every exercise has a line with a bar of its checks, their verdicts and the time; the lines vanish
    when grading ends, so that the report's first line stands alone, and stay when it ends with an exception.
    Anywhere else each exercise that is done gets one plain line.

    Args:
        console: Where to show it; standard error by default, since standard output may carry a report.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._lines: dict[str, _Line] = {}
        self._live: Live | None = None
        self._symbols = has_symbols(self._console.encoding)
        self._signs = {verdict: sign_of(verdict, self._console.encoding) for verdict in Verdict}

    def __enter__(self) -> Self:
        self._live = start_live(self._console, self._draw, _REDRAWS_PER_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.transient = error is None
            self._live.stop()
            self._live = None

    def exercise_started(self, exercise_id: str, title: str, checks: int = 0) -> None:
        """Begin the line of an exercise; with the number of its checks, its bar shows how many are left."""
        self._lines[exercise_id] = _Line(title, checks, time.monotonic())

    def check_done(self, exercise_id: str, verdict: Verdict) -> None:
        """Add the verdict of one more check."""
        self._line(exercise_id).verdicts.append(verdict)

    def exercise_done(self, report: ExerciseReport) -> None:
        """End the line of an exercise with its points."""
        self._line(report.id).report = report
        if self._live is None:
            write_plain(self._console, encodable(_plain_line(report), self._console.encoding))

    def _line(self, exercise_id: str) -> _Line:
        """Return an exercise's line; one that was never started, such as one with nothing to run, starts now."""
        return self._lines.setdefault(exercise_id, _Line("", 0, time.monotonic()))

    def _draw(self) -> Text:
        names = max((cell_len(self._fit(name)) for name in self._lines), default=0)
        titles = max((cell_len(self._fit(line.title)) for line in self._lines.values()), default=0)
        text = Text(overflow="crop", no_wrap=True)
        for number, (name, line) in enumerate(list(self._lines.items())):
            if number:
                text.append("\n")
            title = f"{pad(self._fit(line.title), titles)}  " if self._console.width >= _WITH_TITLES else ""
            self._draw_line(text, pad(self._fit(name), names), title, line)
        return text

    def _draw_line(self, text: Text, name: str, title: str, line: _Line) -> None:
        if line.report is not None:
            verdict = outline.standing(line.report)
            self._append_sign(text, verdict)
            text.append(f" {name}  ", "bold").append(title)
            text.append(pad(_points(line.report), 16))
            text.append(f"  {sentences.duration(line.report.seconds):>7}  ", "dim")
        else:
            text.append("▸" if self._symbols else ">", "cyan")
            text.append(f" {name}  ", "bold").append(title)
            self._append_bar(text, line)
            text.append(f"  {sentences.duration(time.monotonic() - line.started_s):>7}  ", "dim")
        verdicts = [check.verdict for check in line.report.checks] if line.report else line.verdicts
        for verdict in verdicts[-_SIGNS_SHOWN:]:
            self._append_sign(text, verdict)

    def _append_bar(self, text: Text, line: _Line) -> None:
        full, empty = ("━", "─") if self._symbols else ("=", ".")
        # A bar without a known end stays empty: half a bar would promise something.
        filled = min(_BAR_COLUMNS, _BAR_COLUMNS * len(line.verdicts) // line.checks) if line.checks else 0
        text.append(full * filled, "cyan")
        text.append(empty * (_BAR_COLUMNS - filled), "dim")
        count = f"{len(line.verdicts)}/{line.checks}" if line.checks else f"{len(line.verdicts)}"
        text.append(pad(f" {count}", 16 - _BAR_COLUMNS))

    def _append_sign(self, text: Text, verdict: Verdict | None) -> None:
        if verdict is None:
            text.append(" ")
        else:
            text.append(self._signs[verdict], STYLES[verdict])

    def _fit(self, text: str) -> str:
        return encodable(shorten(harmless_line(text), 36), self._console.encoding)


def _points(report: ExerciseReport) -> str:
    return f"{sentences.points(report.score, report.max_score)}{sentences.and_bonus(report)}"


def _plain_line(report: ExerciseReport) -> str:
    said = sentences.tally(report) if not outline.earned_all(report) else "full marks"
    ending = f", {said}" if said and report.max_score > 0 else ""
    return harmless_line(f"{report.id}: {_points(report)}{ending} ({sentences.duration(report.seconds)})")
