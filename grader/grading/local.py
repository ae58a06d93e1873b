"""Grade what lies on this machine: read the submission while the runner starts, then hand it over."""

import os
import secrets
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

from grader.course.trees import CourseTrees
from grader.grading.client import Runner
from grader.grading.line_process import LineProcess
from grader.grading.messages import Event, Job, RunnerSettings, ShowJob
from grader.intake.locate import locate_entries
from grader.intake.reading import read_submission
from grader.model.errors import CourseError, SubmissionError
from grader.model.picture import DrawnPicture, PictureForm
from grader.model.report import IsolationLevel
from grader.model.submission import Submission

_MOST_LANES: Final = 4
"""More processes than this cost more to fork than they save on a handful of exercises."""


class LocalGrader:
    """
    Grades submissions of one course in a runner of its own, which stays warm between them.

    Args:
        trees: The course.
        only: Exercises to grade; all if empty.
        start_method: How workers start; ``auto`` picks what is safe here.
        require_isolation: The least isolation with which code is run; whatever the machine gives if None.
        process: The process to grade in, if it was started already.
    """

    def __init__(
        self,
        trees: CourseTrees,
        only: Sequence[str] = (),
        start_method: Literal["auto", "fork", "spawn"] = "auto",
        require_isolation: IsolationLevel | None = None,
        process: LineProcess | None = None,
    ) -> None:
        lanes = min(os.cpu_count() or 1, _MOST_LANES)
        self._runner = Runner(
            RunnerSettings(
                course=str(trees.root),
                only=tuple(only),
                start_method=start_method,
                lanes=lanes,
                require_isolation=require_isolation,
            ),
            process=process,
        )
        try:
            self.course = self._runner.course
        except BaseException:
            self._runner.close()
            raise
        self.promises = {exercise.id: exercise.promises for exercise in self.course.exercises}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._runner.close()

    def read(self, paths: Sequence[Path]) -> Submission:
        """Read what was handed in; `SubmissionError` if a path does not exist or cannot be a submission."""
        return read_submission(paths, exercise_ids=self.course.settings.exercises, promises=self.promises)

    def job(
        self,
        submission: Submission,
        exercises: Collection[str],
        *,
        seed: int | None = None,
        fail_fast: bool = False,
    ) -> Job:
        """Return the job of grading these exercises of a submission, with a fresh seed if none is given."""
        entries = locate_entries(submission, self.promises)
        chosen = tuple(entries[exercise] for exercise in self.promises if exercise in exercises)
        return Job(
            submission=submission,
            entries=chosen,
            seed=secrets.randbits(31) if seed is None else seed,
            fail_fast=fail_fast,
            partial=len(chosen) < len(self.course.settings.exercises),
        )

    def show_job(
        self,
        submission: Submission,
        exercises: Collection[str],
        form: PictureForm,
        *,
        only: str = "",
        columns: int = 80,
    ) -> ShowJob:
        """Return the job of drawing what a submission's code does in these exercises; see `ShowJob`."""
        entries = locate_entries(submission, self.promises)
        chosen = tuple(entries[exercise] for exercise in self.promises if exercise in exercises)
        return ShowJob(submission=submission, entries=chosen, form=form, only=only, columns=columns)

    def show(self, job: ShowJob) -> tuple[DrawnPicture, ...]:
        """Draw, and return the pictures."""
        return self._runner.show(job)

    def grade(self, job: Job) -> Iterator[Event]:
        """Grade and yield what happens; the last event carries the report."""
        return self._runner.grade(job)


def exercises_meant(paths: Sequence[Path], known: Sequence[str]) -> tuple[str, ...]:
    """
    Return the exercises that paths stand for: those of single files named after them, else all that are known.

    A learner who checks ``heads.py`` asks about heads, and not why everything else is missing.
    """
    single = [path for path in paths if path.suffix in (".py", ".yaml", ".yml")]
    named = {path.stem for path in single}
    if paths and len({path.name for path in single}) == len(paths) and named <= set(known):
        return tuple(exercise for exercise in known if exercise in named)
    return tuple(known)


def open_grader(
    trees: CourseTrees,
    only: Sequence[str],
    start_method: Literal["auto", "fork", "spawn"] = "auto",
    require_isolation: IsolationLevel | None = None,
    process: LineProcess | None = None,
) -> LocalGrader:
    """Return a `LocalGrader`; an exercise in ``only`` that the course does not have is wrong usage."""
    try:
        return LocalGrader(trees, only, start_method, require_isolation, process)
    except CourseError as error:
        if "is no exercise of this course" in str(error):
            raise SubmissionError(str(error)) from None
        raise
