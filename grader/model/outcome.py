"""What a report comes down to: its verdicts, from which every score follows."""

from collections import defaultdict
from collections.abc import Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from pydantic import Field

from grader.model.base import Model
from grader.model.course import Exercise
from grader.model.report import ScoreReport
from grader.model.rubric import Criterion
from grader.model.scoring import score_verdicts
from grader.model.verdict import Verdict

_REMEMBERED: Final = 1000
"""Ways in which the checks of one criterion came out; more than a class has, few enough to hold."""


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
    bonus: bool = False
    """Whether these points are in no total, but come on top."""


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


class Scoring:
    """
    The rubrics of some exercises, ready to score many outcomes.

    A criterion is scored once for each way in which its checks came out: a class of ten thousand has a million of
    criteria to score, and few of them are new.

    Args:
        exercises: Whose criteria to score, in teaching order.
    """

    def __init__(self, exercises: Sequence[Exercise]) -> None:
        self._exercises = [
            (
                exercise,
                [
                    (itemgetter(*criterion.checks), _CriterionScores(exercise.id, criterion))
                    for criterion in exercise.rubric.criteria
                ],
            )
            for exercise in exercises
        ]

    def points_of(self, outcome: Outcome) -> list[CriterionPoints]:
        """Return what each criterion gives; those of exercises that were not graded are left out."""
        found: list[CriterionPoints] = []
        for exercise, criteria in self._exercises:
            verdicts = outcome.verdicts.get(exercise.id)
            if verdicts is not None:
                try:
                    found += [scores[verdicts_of(verdicts)] for verdicts_of, scores in criteria]
                except KeyError:  # a check that was not run: the grader's own fault
                    whole = defaultdict(lambda: Verdict.ERRORED, verdicts)
                    found += [scores[verdicts_of(whole)] for verdicts_of, scores in criteria]
        return found


class _CriterionScores(dict[Verdict | tuple[Verdict, ...], CriterionPoints]):
    """What one criterion gives, by the verdicts of its checks in the rubric's order."""

    def __init__(self, exercise: str, criterion: Criterion) -> None:
        super().__init__()
        self._exercise = exercise
        self._criterion = criterion

    def __missing__(self, verdicts: Verdict | tuple[Verdict, ...]) -> CriterionPoints:
        found = (verdicts,) if isinstance(verdicts, Verdict) else verdicts
        score, max_score = score_verdicts(self._criterion, found)
        errored = Verdict.ERRORED in found
        points = CriterionPoints(self._exercise, self._criterion.id, score, max_score, errored, self._criterion.bonus)
        if len(self) < _REMEMBERED:
            self[verdicts] = points
        return points
