"""Start a runner and talk to it: jobs go in, events come out."""

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from grader.course.load import load_course
from grader.course.trees import CourseTrees
from grader.grading.messages import EVENT, Event, Graded, Job, Ready, RunnerFailed, RunnerSettings
from grader.model.course import Course
from grader.model.errors import CourseError, GraderError, IsolationError, RunnerError
from grader.sandbox.launch import clean_environment, python_command

START_METHOD_VARIABLE: Final = "GRADE_START_METHOD"
"""Set to ``fork`` or ``spawn``, it decides where nothing else does; to run everything in the other way."""

_FAULTS: Final[dict[str, type[GraderError]]] = {
    "runner": RunnerError,
    "course": CourseError,
    "isolation": IsolationError,
}


class Runner:
    """
    A trusted process that grades. It starts at once and imports torch while the caller reads the submission.

    Args:
        settings: The course and how to isolate.
    """

    def __init__(self, settings: RunnerSettings) -> None:
        forced = os.environ.get(START_METHOD_VARIABLE)
        if settings.start_method == "auto" and forced in ("fork", "spawn"):
            settings = settings.model_copy(update={"start_method": forced})
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the runner
        self._process = subprocess.Popen(
            [*python_command(), "-m", "grader.grading.runner"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=clean_environment(),
            cwd="/",
            start_new_session=True,  # Ctrl-C is for the command line, which then ends the runner in order
        )
        self._settings = settings
        self._course: Course | None = None
        self._send(settings.model_dump_json())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def course(self) -> Course:
        """The course, read here while the runner imports torch; `CourseError` if it contradicts itself."""
        if self._course is None:
            self._course = load_course(CourseTrees(Path(self._settings.course)), self._settings.only)
            self._send(self._course.model_dump_json())
        return self._course

    def grade(self, job: Job) -> Iterator[Event]:
        """
        Grade one submission and yield what happens; the last event is `Graded`.

        Raises:
            CourseError: If the course cannot be used.
            IsolationError: If the machine gives less isolation than the settings demand; no learner's code has run.
            RunnerError: If the runner failed. It is gone then.
        """
        _ = self.course  # the runner waits for it before the first job
        self._send(job.model_dump_json())
        while True:
            event = self._receive()
            if isinstance(event, Ready):
                continue
            yield event
            if isinstance(event, Graded):
                return

    def close(self) -> None:
        """End the runner and what it started."""
        if self._process.stdin:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        self._errors.close()

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._failure() from None

    def _receive(self) -> Event:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise self._failure()
        event = EVENT.validate_json(line)
        if isinstance(event, RunnerFailed):
            raise _FAULTS[event.fault](event.message)
        return event

    def _failure(self) -> RunnerError:
        status = self._process.wait()
        self._errors.seek(0)
        printed = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        last = f" Its last words: {printed[-1]}" if printed else ""
        return RunnerError(f"the grading process ended unexpectedly (status {status}).{last}")
