"""Turn a stored result into one line about the student, without reading the report."""

from functools import lru_cache

from grader.grading.store import Status, StoredResult
from grader.model.outcome import CriterionPoints
from grader.model.student_line import CriterionLine, StudentLine, distinct, found_misconceptions


def line_of_stored(result: StoredResult) -> StudentLine:
    """Return what tables and statistics need of a student; costs a small part of reading the report."""
    grade, outcome = result.grade, result.outcome
    final = grade.final if grade else None
    return StudentLine(
        student=result.student,
        status=_status(result),
        criteria=_criteria(result),
        raw=grade.earned if grade and final is not None else None,
        adjustments=grade.adjusted - grade.earned if grade and final is not None else None,
        late=-grade.late_points if grade and final is not None else None,
        final=final,
        max_score=grade.max_score if grade else 0.0,
        bonus=grade.bonus if grade and final is not None else None,
        max_bonus=grade.max_bonus if grade else 0.0,
        flags=distinct(outcome.flags) if outcome else (),
        verdicts=frozenset().union(*(checks.values() for checks in outcome.verdicts.values()))
        if outcome
        else frozenset(),
        misconceptions=found_misconceptions(outcome.misconceptions) if outcome else frozenset(),
        in_roster=result.hand_in.in_roster,
        problem=result.problem,
    )


def _status(result: StoredResult) -> str:
    if result.status is Status.WAITING or result.grade is None:
        return "waiting"
    if result.grade.final is None:
        return "errored"
    return "graded" if result.handed_in else "not_submitted"


def _criteria(result: StoredResult) -> tuple[CriterionLine, ...]:
    if result.grade is None:
        return ()
    if not result.grade.adjustments:
        return tuple(map(_decided, result.grade.criteria))
    before = {applied.adjustment.place: applied.before for applied in result.grade.adjustments}
    return tuple(
        _decided(points._replace(score=before.get((points.exercise, points.criterion), points.score)))
        for points in result.grade.criteria
    )


# A class has few different ones: two for each criterion, mostly.
@lru_cache(maxsize=10_000)
def _decided(points: CriterionPoints) -> CriterionLine:
    # Where the grader failed, the checks decided nothing.
    max_score = 0.0 if points.errored else points.max_score
    return CriterionLine(points.exercise, points.criterion, points.score, max_score, points.bonus)
