"""Talk with a process of the grader's own, line by line and never longer than until a deadline."""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from types import TracebackType
from typing import IO, BinaryIO, Final, Self

from grader.model.errors import RunnerError
from grader.sandbox.launch import python_command, trusted_environment

_END_S: Final = 5.0
"""How long a process may take to end by itself."""
_CHUNK: Final = 1 << 18
_PIPE_BYTES: Final = 1 << 18
"""A whole course fits in, so that whoever sends one need not wait until torch is imported."""


def start_runner() -> "LineProcess":
    """
    Start the process that grades.

    It imports torch before it reads a line, so whoever calls this first and imports the rest later waits less. That is
    why this module imports nothing heavy.
    """
    return LineProcess("grader.grading.runner", "grading process")


def take_standard_output() -> BinaryIO:
    """Keep this process's standard output for answers alone: whatever prints by accident goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


class LineProcess:
    """
    A process that reads lines from standard input and answers with lines on standard output.

    Args:
        module: What it runs.
        called: What messages call it, such as ``grading process``.
    """

    def __init__(self, module: str, called: str) -> None:
        self._called = called
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [*python_command(), "-m", module],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=trusted_environment(),
            cwd="/",
            start_new_session=True,  # Ctrl-C is for the command line, which then ends the process in order
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                fcntl.fcntl(self._stdin, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        # A process that was stopped reads nothing, and must not stop whoever writes to it.
        os.set_blocking(self._stdin.fileno(), False)
        self._received = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def send(self, line: str, deadline: float | None = None) -> None:
        """
        Send one line.

        Args:
            line: Without its end.
            deadline: On the monotonic clock; None waits for ever.

        Raises:
            RunnerError: If the process is gone, or does not take it in time.
        """
        left = memoryview(line.encode() + b"\n")
        try:
            while left:
                self._wait(deadline, writing=True)
                with contextlib.suppress(BlockingIOError):
                    left = left[os.write(self._stdin.fileno(), left[:_CHUNK]) :]
        except (BrokenPipeError, ValueError):  # a pipe that `kill` has closed meanwhile
            raise self._failure() from None

    def receive(self, deadline: float | None = None) -> bytes:
        """Return one line; see `send`."""
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            try:
                self._wait(deadline, writing=False)
                chunk = os.read(self._stdout.fileno(), _CHUNK)
            except ValueError:
                chunk = b""
            if not chunk:
                raise self._failure()
            self._received += chunk
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        return line

    def close(self) -> None:
        """Let the process end in order, or end it."""
        self._stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self._stdout.close()
        self._errors.close()

    def kill(self) -> None:
        """End the process at once, from any thread; what it started notices and ends too."""
        # Its number may be another's once it was waited for, which Popen knows.
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _wait(self, deadline: float | None, *, writing: bool) -> None:
        pipe = self._stdin.fileno() if writing else self._stdout.fileno()
        poll = select.poll()  # select cannot watch descriptors from 1024 on
        poll.register(pipe, select.POLLOUT if writing else select.POLLIN)
        left_ms = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
        if not poll.poll(left_ms):
            self.kill()
            raise RunnerError(f"the {self._called} did not answer in time and was ended")

    def _failure(self) -> RunnerError:
        try:
            status = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.kill()
            status = self._process.wait()
        printed: list[str] = []
        with contextlib.suppress(ValueError):
            self._errors.seek(0)
            printed = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        last = f" Its last words: {printed[-1]}" if printed else ""
        return RunnerError(f"the {self._called} ended unexpectedly (status {status}).{last}")
