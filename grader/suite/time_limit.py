"""End trusted code that would never end: an author's endless loop must not stop a class."""

import signal
import threading
from types import TracebackType
from typing import Final, Self

_AGAIN_S: Final = 1.0
"""Code that catches everything is told again after so long."""


class NeverEndsError(BaseException):
    """Code of a course took longer than anything in a course may. No ``except Exception`` of that code catches it."""


class TimeLimit:
    """
    A context in which code gets a `NeverEndsError` when its time is over.

    It is the processor time of this process, so neither a busy machine nor a learner's slow code uses it up. Signals
    reach the main thread only, so in others, and where there are no such signals, nothing is limited.

    Args:
        seconds: How long the code may take.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._can = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        self.over = False
        """Whether the time was over, for who calls code that keeps all exceptions to itself."""

    def __enter__(self) -> Self:
        if self._can:
            self._before = signal.signal(signal.SIGPROF, self._end)
            signal.setitimer(signal.ITIMER_PROF, self._seconds, _AGAIN_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._can:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, self._before)

    def _end(self, *_: object) -> None:
        self.over = True
        raise NeverEndsError(f"it took more than {self._seconds:g} s of processor time")
