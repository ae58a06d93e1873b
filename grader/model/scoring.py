"""Add verdicts up to a score, by the rubric."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from grader.model.course import Exercise
from grader.model.report import CheckResult, CriterionResult, ExerciseReport
from grader.model.rubric import Criterion
from grader.model.verdict import Verdict


class Total(NamedTuple):
    """What several parts add up to; bonus points apart."""

    score: float
    max_score: float
    bonus: float
    max_bonus: float


def total_of_criteria(criteria: Iterable[CriterionResult]) -> Total:
    """Add up the criteria of an exercise."""
    score = max_score = bonus = max_bonus = 0.0
    for criterion in criteria:
        if criterion.bonus:
            bonus += criterion.score
            max_bonus += criterion.max_score
        else:
            score += criterion.score
            max_score += criterion.max_score
    return Total(score, max_score, bonus, max_bonus)


def total_of_exercises(exercises: Sequence[ExerciseReport]) -> Total:
    """Add up the exercises of a report."""
    return Total(
        score=sum(exercise.score for exercise in exercises),
        max_score=sum(exercise.max_score for exercise in exercises),
        bonus=sum(exercise.bonus for exercise in exercises),
        max_bonus=sum(exercise.max_bonus for exercise in exercises),
    )


def score_exercise(exercise: Exercise, results: Mapping[str, CheckResult]) -> tuple[CriterionResult, ...]:
    """
    Score each criterion of an exercise: its points when all its checks passed, else nothing.

    Args:
        exercise: The exercise; its rubric is the manifest that decides, whatever came back.
        results: Results by check id. A check of the rubric without a result did not pass: it is ``errored``.

    Returns:
        One result per criterion, in the rubric's order. A criterion none of whose checks can be judged on
        this machine has a ``max_score`` of zero.
    """
    return tuple(_score_criterion(exercise, criterion, results) for criterion in exercise.rubric.criteria)


def score_verdicts(criterion: Criterion, verdicts: Sequence[Verdict]) -> tuple[float, float]:
    """Return what a criterion gives and could give, from the verdicts of its checks."""
    judged = len(verdicts) - verdicts.count(Verdict.NOT_ASSESSED)
    if not judged:
        return 0.0, 0.0
    return criterion.points if verdicts.count(Verdict.PASSED) == judged else 0.0, criterion.points


def _score_criterion(exercise: Exercise, criterion: Criterion, results: Mapping[str, CheckResult]) -> CriterionResult:
    checks = tuple(results.get(check) or _not_run(exercise, check) for check in criterion.checks)
    score, max_score = score_verdicts(criterion, [check.verdict for check in checks])
    return CriterionResult(
        id=criterion.id,
        category=criterion.category,
        title=criterion.title,
        score=score,
        max_score=max_score,
        bonus=criterion.bonus,
        checks=checks,
    )


def _not_run(exercise: Exercise, check: str) -> CheckResult:
    claim = exercise.claims.get(check)
    return CheckResult(
        id=check,
        title=claim.title if claim else check,
        verdict=Verdict.ERRORED,
        rationale="The grader did not run this check.",
    )
