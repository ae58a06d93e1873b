"""Show how the grading of a class goes while it goes."""

import time
from collections import Counter, deque
from collections.abc import Mapping
from types import TracebackType
from typing import Final, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from grader.model.verdict import Verdict
from grader.report import sentences
from grader.report.harmless import encodable, harmless_line
from grader.report.live import start_live, write_plain
from grader.report.terminal import STYLES

_REDRAWS_PER_S: Final = 4
_BAR_COLUMNS: Final = 30
_LINE_EVERY_S: Final = 10.0
"""How often a line is written where there is no terminal to draw on."""
_RATE_OVER: Final = 200
"""Over how many of the latest students the rate is taken."""


class BatchView:
    """
    A context manager that is told of each student.

    On a terminal: a bar with rate, time left and tallies of verdicts, which vanishes at the end. Anywhere else: a plain
    line every ten seconds. What the grader failed at gets a line at once, on both.

    Args:
        total: How many students there are.
        console: Where to show it; standard error by default.
    """

    def __init__(self, total: int, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._total = total
        self._done = 0
        self._errored = 0
        self._verdicts: Counter[Verdict] = Counter()
        self._times = deque([time.monotonic()], maxlen=_RATE_OVER)
        self._said = time.monotonic()
        self._notice = ""
        self._live: Live | None = None

    def __enter__(self) -> Self:
        self._live = start_live(self._console, self._draw, _REDRAWS_PER_S, transient=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def done(self, student: str, verdicts: Mapping[Verdict, int], problem: str = "") -> None:
        """Count one student, with how many checks got which verdict, and what the grader failed on if it did."""
        self._done += 1
        self._verdicts.update(verdicts)
        self._times.append(time.monotonic())
        if problem:
            self._errored += 1
            self.say(f"{student}: the grader failed, so there is no grade: {problem}")
        elif self._live is None and (self._times[-1] - self._said >= _LINE_EVERY_S or self._done == self._total):
            self._said = self._times[-1]
            self.say(f"{self._progress()} · {self._tally().plain}")

    def say(self, line: str) -> None:
        """Write a line above the bar."""
        text = encodable(harmless_line(line), self._console.encoding)
        if self._live is not None:
            self._console.print(Text(text))
        else:
            write_plain(self._console, text)

    def notice(self, line: str) -> None:
        """Show a line from now on: beside the bar, or once where there is none."""
        self._notice = line
        if self._live is None:
            self.say(line)

    def _draw(self) -> Group:
        grid = Table.grid(padding=(0, 1))
        grid.add_row(
            ProgressBar(total=max(self._total, 1), completed=self._done, width=_BAR_COLUMNS),
            Text(encodable(self._progress(), self._console.encoding)),
        )
        lines: list[RenderableType] = [grid, self._tally()]
        if self._notice:
            lines.append(Text(encodable(self._notice, self._console.encoding), "bold"))
        return Group(*lines)

    def _progress(self) -> str:
        said = f"{self._done} of {self._total}"
        if self._errored:
            said += f", {self._errored} errored"
        elapsed = time.monotonic() - self._times[0]
        if len(self._times) > 1 and elapsed > 0:
            rate = (len(self._times) - 1) / elapsed
            said += f" · {rate:.1f} a second"
            if self._done < self._total:
                said += f" · {sentences.duration((self._total - self._done) / rate)} left"
        return said

    def _tally(self) -> Text:
        text = Text()
        for verdict in Verdict:
            if self._verdicts[verdict]:
                text.append(", " if text else "checks: ")
                text.append(f"{verdict.value.replace('_', ' ')} {self._verdicts[verdict]}", STYLES[verdict])
        return text
