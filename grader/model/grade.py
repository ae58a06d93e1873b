"""From points by criterion to a grade: adjustments by hand first, then lateness."""

from collections.abc import Sequence

from grader.model.adjustment import Adjustment
from grader.model.base import Model
from grader.model.late import Lateness
from grader.model.outcome import CriterionPoints


class AppliedAdjustment(Model):
    """An adjustment with what it changed."""

    adjustment: Adjustment
    before: float
    """What the criterion gave by the checks alone."""
    after: float


class Grade(Model):
    """One student's points and how they came about."""

    criteria: tuple[CriterionPoints, ...]
    """After adjustments."""
    earned: float
    """By the checks alone."""
    adjusted: float
    """After adjustments by hand."""
    max_score: float
    bonus: float = 0.0
    """Points earned on top, after adjustments; they are in no other number here, and lateness leaves them."""
    max_bonus: float = 0.0
    late: Lateness
    late_points: float
    """What lateness takes off."""
    final: float | None
    """The grade, to two decimals; None while the grader's own fault is in it."""
    adjustments: tuple[AppliedAdjustment, ...] = ()
    unused: tuple[Adjustment, ...] = ()
    """Adjustments of criteria that this run does not have."""


def compute_grade(points: Sequence[CriterionPoints], adjustments: Sequence[Adjustment], lateness: Lateness) -> Grade:
    """
    Return the grade that follows from points, adjustments and lateness.

    An adjustment counts as if the checks had decided so: lateness is taken off afterwards. It also settles a criterion
    at which the grader failed. More than the criterion's points it cannot give. Bonus points are added up apart.
    """
    by_place = {adjustment.place: adjustment for adjustment in adjustments}
    criteria, applied = list(points), []
    for place, before in enumerate(points if by_place else ()):
        adjustment = by_place.pop((before.exercise, before.criterion), None)
        if adjustment is not None and adjustment.points is not None:
            score = min(adjustment.points, before.max_score)
            criteria[place] = before._replace(score=score, errored=False)
            applied.append(AppliedAdjustment(adjustment=adjustment, before=before.score, after=score))
    counted = [criterion for criterion in criteria if not criterion.bonus]
    extra = [criterion for criterion in criteria if criterion.bonus] if len(counted) < len(criteria) else []
    adjusted = sum(criterion.score for criterion in counted)
    earned = sum(criterion.score for criterion in points if not criterion.bonus) if applied else adjusted
    max_score = sum(criterion.max_score for criterion in counted)
    late_points = round(lateness.deduction(adjusted, max_score), 2)
    complete = bool(criteria) and not any(criterion.errored for criterion in criteria)
    return Grade.model_construct(
        criteria=tuple(criteria),
        earned=round(earned, 6),
        adjusted=round(adjusted, 6),
        max_score=round(max_score, 6),
        bonus=round(sum(criterion.score for criterion in extra), 6),
        max_bonus=round(sum(criterion.max_score for criterion in extra), 6),
        late=lateness,
        late_points=late_points,
        final=max(0.0, round(adjusted - late_points, 2)) if complete else None,
        adjustments=tuple(applied),
        unused=tuple(by_place.values()),
    )
