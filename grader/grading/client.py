"""Start a runner and talk to it: jobs go in, events come out."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from grader.course.load import load_course
from grader.course.trees import CourseTrees
from grader.grading.line_process import LineProcess, start_runner
from grader.grading.messages import EVENT, Event, Graded, Job, Ready, RunnerFailed, RunnerSettings, ShowJob, Shown
from grader.model.course import Course
from grader.model.errors import CourseError, GraderError, IsolationError, RunnerError
from grader.model.picture import DrawnPicture

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
        course: The course, if it has been read already.
        process: From `start_runner`, if it was called earlier to lose no time.
    """

    def __init__(
        self, settings: RunnerSettings, course: Course | None = None, process: LineProcess | None = None
    ) -> None:
        forced = os.environ.get(START_METHOD_VARIABLE)
        if settings.start_method == "auto" and forced in ("fork", "spawn"):
            settings = settings.model_copy(update={"start_method": forced})
        self._process = process or start_runner()
        self._settings = settings
        self._course = course
        self._sent = False
        self._process.send(settings.model_dump_json())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process id of the runner."""
        return self._process.pid

    @property
    def course(self) -> Course:
        """The course, read here while the runner imports torch; `CourseError` if it contradicts itself."""
        if self._course is None:
            self._course = load_course(CourseTrees(Path(self._settings.course)), self._settings.only)
        if not self._sent:
            self._process.send(self._course.model_dump_json())
            self._sent = True
        return self._course

    def grade(self, job: Job, deadline: float | None = None) -> Iterator[Event]:
        """
        Grade one submission and yield what happens; the last event is `Graded`.

        Args:
            job: The submission.
            deadline: When to end a runner that says nothing more, on the monotonic clock; None waits for ever.

        Raises:
            CourseError: If the course cannot be used.
            IsolationError: If the machine gives less isolation than the settings demand; no learner's code has run.
            RunnerError: If the runner failed or was too late. It is gone then.
        """
        for event in self._run(job, deadline):
            yield event
            if isinstance(event, Graded):
                return

    def show(self, job: ShowJob) -> tuple[DrawnPicture, ...]:
        """
        Draw what one submission's code does, and return the pictures in the order of exercises and of their files.

        Raises:
            CourseError: If a file of pictures cannot be used.
            IsolationError: As for `grade`.
            RunnerError: If the runner failed. It is gone then.
        """
        for event in self._run(job, None):
            if isinstance(event, Shown):
                return event.pictures
        raise AssertionError("the runner always ends with pictures")

    def _run(self, job: Job | ShowJob, deadline: float | None) -> Iterator[Event]:
        _ = self.course  # the runner waits for it before the first job
        self._process.send(job.model_dump_json(), deadline)
        while True:
            event = EVENT.validate_json(self._process.receive(deadline))
            if isinstance(event, RunnerFailed):
                raise _FAULTS[event.fault](event.message)
            if not isinstance(event, Ready):
                yield event

    def close(self) -> None:
        """End the runner and what it started."""
        self._process.close()

    def kill(self) -> None:
        """End the runner at once, from any thread; whoever waits for its answer gets a `RunnerError`."""
        self._process.kill()
