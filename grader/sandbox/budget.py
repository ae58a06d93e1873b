"""Count the time that one submission has used, without what others had the processor for."""

import os
import time
from pathlib import Path
from typing import Final, Protocol

MOST_STARVED: Final = 3
"""How many times its limit something may come late because others had the processor."""

_PLENTY: Final = 0.5
"""While more than this share is left by the clock, nothing has to be looked up."""


def starved_s(pid: int) -> float:
    """
    Return how many seconds a process was ready to run, and waited for a processor.

    Sleeping and waiting for anything else do not count. 0 where the system does not say. Source: the second number of
    ``/proc/PID/schedstat`` (Linux, ``Documentation/scheduler/sched-stats.rst``), in nanoseconds.
    """
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text("ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


class _Starves(Protocol):
    @property
    def starved_s(self) -> float: ...


class Budget:
    """
    The time for one submission: on a busy machine it lasts as long as it would have on an idle one.

    What this process, or a fork of it, and its workers were ready to run and waited for a processor is not counted, up
    to three times the limit. Otherwise a submission would lose checks for what else the machine did, and two gradings
    of one submission would differ. Sleeping counts.

    Args:
        limit_s: How long it lasts.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._started = time.monotonic()
        self._workers: list[_Starves] = []
        self._starved_before = {os.getpid(): starved_s(os.getpid())}

    def watch(self, worker: _Starves) -> None:
        """Take into account that a worker may have to wait, too; while one works, this process only waits for it."""
        self._workers.append(worker)

    def left_s(self) -> float:
        """Return how many seconds are left; zero or less if none are."""
        left = self._limit_s - (time.monotonic() - self._started)
        if left > _PLENTY * self._limit_s:
            return left
        return left + min(self._starved_s(), MOST_STARVED * self._limit_s)

    def _starved_s(self) -> float:
        process = os.getpid()
        # A fork begins anew: it has waited for nothing when it is made.
        own = starved_s(process) - self._starved_before.get(process, 0.0)
        return own + sum(worker.starved_s for worker in self._workers)
