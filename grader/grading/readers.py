"""Read hand-ins in processes of their own, each under a deadline."""

import queue
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from grader.grading.line_process import LineProcess
from grader.grading.messages import ReaderSettings, Reading, ReadingDone
from grader.model.errors import RunnerError

_READ_S: Final = 120.0
"""How long one hand-in may take; bounds on sizes and counts keep honest and hostile ones within seconds."""


class Readers:
    """
    Reads hand-ins, several at a time, in order of asking.

    Args:
        settings: Where they are.
        size: How many are read at the same time.
        read_s: How long one may take.
    """

    def __init__(self, settings: ReaderSettings, size: int, read_s: float = _READ_S) -> None:
        self._settings = settings
        self._read_s = read_s
        self._idle: queue.SimpleQueue[LineProcess] = queue.SimpleQueue()
        self._all: set[LineProcess] = set()
        self._threads = ThreadPoolExecutor(size, "reader")
        self.size = size

    def read(self, reading: Reading) -> "Future[ReadingDone]":
        """Begin to read a hand-in; what cannot be read even by a fresh process is a problem and no exception."""
        return self._threads.submit(self._read, reading)

    def close(self) -> None:
        """End all of them."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in list(self._all):
            process.kill()
        self._threads.shutdown()
        for process in list(self._all):
            process.close()
        self._all.clear()

    def _read(self, reading: Reading) -> ReadingDone:
        problem = ""
        for _ in range(2):
            process = self._take()
            deadline = time.monotonic() + self._read_s
            try:
                process.send(reading.model_dump_json(), deadline)
                done = ReadingDone.model_validate_json(process.receive(deadline))
            except RunnerError as error:
                problem = str(error)
                self._all.discard(process)
                process.kill()
                process.close()
            else:
                self._idle.put(process)
                return done
        return ReadingDone(problem=problem)

    def _take(self) -> LineProcess:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            process = LineProcess("grader.grading.reader", "process that reads hand-ins")
            self._all.add(process)
            process.send(self._settings.model_dump_json())
            return process
