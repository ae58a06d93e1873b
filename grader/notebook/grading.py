"""Grade for a notebook: in a process of its own that stays warm, never in the one that asks."""

import atexit
from functools import lru_cache
from pathlib import Path
from typing import cast

from grader.course.trees import open_course
from grader.grading.local import LocalGrader, open_grader
from grader.grading.messages import Graded
from grader.model.errors import RunnerError, SubmissionError
from grader.model.redaction import redact_report
from grader.model.report import IsolationLevel, ScoreReport
from grader.model.submission import Submission


@lru_cache(maxsize=4)
def warm_grader(course: str = "", require_isolation: str = "") -> LocalGrader:
    """
    Return the grader of a course, started once.

    Args:
        course: Its folder; the built-in one if empty.
        require_isolation: The least isolation; whatever the machine gives if empty.
    """
    level = cast("IsolationLevel | None", require_isolation or None)
    grader = open_grader(open_course(Path(course) if course else None), (), require_isolation=level)
    atexit.register(grader.__exit__, None, None, None)
    return grader


def grade_notebook(
    submission: Submission, exercises: tuple[str, ...], course: str = "", require_isolation: str = ""
) -> ScoreReport:
    """
    Return the report, as the course lets learners see it. Equal code is asked the same questions.

    Raises:
        SubmissionError: If there is no such exercise.
        GraderError: If the grader failed.
    """
    grader = warm_grader(course, require_isolation)
    for exercise in exercises:
        if exercise not in grader.promises:
            raise SubmissionError(f"{exercise!r} is no exercise. The course has: {', '.join(grader.promises)}.")
    seed = int(submission.sha256[:7], 16)
    try:
        report = _grade(grader, submission, exercises, seed)
    except RunnerError:
        warm_grader.cache_clear()  # its process is gone: a fresh one may do better
        report = _grade(warm_grader(course, require_isolation), submission, exercises, seed)
    return redact_report(report, grader.course.settings.feedback)


def _grade(grader: LocalGrader, submission: Submission, exercises: tuple[str, ...], seed: int) -> ScoreReport:
    *_, last = grader.grade(grader.job(submission, exercises, seed=seed))
    assert isinstance(last, Graded)
    return last.report
