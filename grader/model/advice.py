"""Choose the one thing to fix next."""

from typing import NamedTuple

from grader.model.report import CheckResult, ExerciseReport, ScoreReport
from grader.model.verdict import Verdict

MISTAKES = frozenset(
    {Verdict.FAILED, Verdict.MISSING, Verdict.RAISED, Verdict.TIMED_OUT, Verdict.CRASHED, Verdict.BLOCKED}
)


class Finding(NamedTuple):
    """A check that did not pass, with the exercise that it belongs to."""

    exercise: ExerciseReport
    check: CheckResult


def list_mistakes(report: ScoreReport) -> list[Finding]:
    """Return every check that the learner's code lost by itself, in teaching order."""
    return [
        Finding(exercise, check)
        for exercise in report.exercises
        for check in exercise.checks
        if check.verdict in MISTAKES
    ]


def first_to_fix(report: ScoreReport) -> Finding | None:
    """
    Return the finding to act on first, or ``None`` when nothing is left to do.

    A mistake comes before a stub that is not begun, and the order of the rubric decides between mistakes:
    suites put the check whose failure says most first. Within an exercise a mistake that is recognised
    comes before one that is not, because it can be named.
    """
    mistakes = list_mistakes(report)
    if mistakes:
        same_exercise = [finding for finding in mistakes if finding.exercise.id == mistakes[0].exercise.id]
        return next((finding for finding in same_exercise if finding.check.diagnosis), mistakes[0])
    for exercise in report.exercises:
        for check in exercise.checks:
            if check.verdict is Verdict.TODO:
                return Finding(exercise, check)
    return None
