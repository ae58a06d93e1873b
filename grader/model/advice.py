"""Choose the one thing to fix next."""

from collections.abc import Collection
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

    @property
    def bonus(self) -> bool:
        """Whether only bonus points depend on it."""
        return self.exercise.is_bonus(self.check.id)


def list_mistakes(report: ScoreReport) -> list[Finding]:
    """Return every check that the learner's code lost by itself, in teaching order, those of bonus points last."""
    return sorted(_find(report, MISTAKES), key=lambda finding: finding.bonus)


def first_to_fix(report: ScoreReport) -> Finding | None:
    """
    Return the finding to act on first, or ``None`` when nothing is left to do.

    A mistake comes before a stub that is not begun, and the order of the rubric decides between mistakes:
    suites put the check whose failure says most first. Within an exercise a mistake that is recognised
    comes before one that is not, because it can be named. What earns a bonus alone comes after everything else.
    """
    mistakes, stubs = list_mistakes(report), _find(report, {Verdict.TODO})
    for bonus in (False, True):
        wrong = [finding for finding in mistakes if finding.bonus is bonus]
        if wrong:
            same_exercise = [finding for finding in wrong if finding.exercise.id == wrong[0].exercise.id]
            return next((finding for finding in same_exercise if finding.check.diagnosis), wrong[0])
        stub = next((finding for finding in stubs if finding.bonus is bonus), None)
        if stub is not None:
            return stub
    return None


def _find(report: ScoreReport, verdicts: Collection[Verdict]) -> list[Finding]:
    return [
        Finding(exercise, check)
        for exercise in report.exercises
        for check in exercise.checks
        if check.verdict in verdicts
    ]
