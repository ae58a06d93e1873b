"""What a report comes down to: its verdicts, from which every score follows."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import Field

from grader.model.base import Model
from grader.model.course import Exercise
from grader.model.report import ScoreReport
from grader.model.rubric import Criterion
from grader.model.scoring import score_verdicts
from grader.model.verdict import Verdict


class Outcome(Model):
    """
    The part of a report that scores, summaries and comparisons need; some twentieth of the whole.

    It never leaves the grader: reports do.
    """

    verdicts: dict[str, dict[str, Verdict]]
    """By exercise and check."""
    misconceptions: dict[str, dict[str, str]] = Field(default_factory=dict)
    """The known mistake that a check's answers are equal to, by exercise and check."""
    flags: tuple[str, ...] = ()
    """Ids of what a person should look at."""
    seconds: float = 0.0


class CriterionPoints(NamedTuple):
    """What a student gets for one criterion."""

    exercise: str
    criterion: str
    score: float
    max_score: float
    """Zero when no check of it could be judged."""
    errored: bool = False
    """Whether the grader failed at one of its checks, so that the score is none."""


def outcome_of(report: ScoreReport) -> Outcome:
    """Return what a report comes down to."""
    return Outcome(
        verdicts={exercise.id: {check.id: check.verdict for check in exercise.checks} for exercise in report.exercises},
        misconceptions={
            exercise.id: found
            for exercise in report.exercises
            if (found := {check.id: check.diagnosis.misconception for check in exercise.checks if check.diagnosis})
        },
        flags=tuple(dict.fromkeys(flag.id for flag in report.flags)),
        seconds=report.seconds,
    )


def points_of(outcome: Outcome, exercises: Sequence[Exercise]) -> Iterator[CriterionPoints]:
    """Yield what each criterion gives by the rubrics of these exercises; those that were not graded are left out."""
    for exercise in exercises:
        verdicts = outcome.verdicts.get(exercise.id)
        if verdicts is not None:
            for criterion in exercise.rubric.criteria:
                yield _points(exercise.id, criterion, verdicts)


def _points(exercise: str, criterion: Criterion, verdicts: dict[str, Verdict]) -> CriterionPoints:
    found = [verdicts.get(check, Verdict.ERRORED) for check in criterion.checks]
    score, max_score = score_verdicts(criterion, found)
    return CriterionPoints(exercise, criterion.id, score, max_score, Verdict.ERRORED in found)
