"""Turn a stored result into one line about the student, without reading the report."""

from grader.grading.store import Status, StoredResult
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
    before = {applied.adjustment.place: applied.before for applied in result.grade.adjustments}
    return tuple(
        CriterionLine(
            exercise,
            criterion,
            before.get((exercise, criterion), score) if before else score,
            # Where the grader failed, the checks decided nothing.
            0.0 if errored else max_score,
        )
        for exercise, criterion, score, max_score, errored in result.grade.criteria
    )
