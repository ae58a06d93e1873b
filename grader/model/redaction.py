"""Cut a report down to what a feedback level allows."""

import math

from grader.model.feedback import FeedbackLevel
from grader.model.report import CheckResult, CriterionResult, ExerciseReport, ScoreReport

_ORDER = [FeedbackLevel.SCORE, FeedbackLevel.VERDICTS, FeedbackLevel.HINTS, FeedbackLevel.FULL]


def redact_report(report: ScoreReport, level: FeedbackLevel) -> ScoreReport:
    """Return the report without what ``level`` hides; a report already cut further stays as it is."""
    if _ORDER.index(report.feedback) <= _ORDER.index(level):
        return report
    exercises = tuple(_redact_exercise(exercise, level) for exercise in report.exercises)
    # How long it takes is the code's own choice, so to the microsecond it could tell a hidden number.
    return report.model_copy(
        update={"feedback": level, "exercises": exercises, "seconds": float(math.ceil(report.seconds))}
    )


def _redact_exercise(exercise: ExerciseReport, level: FeedbackLevel) -> ExerciseReport:
    criteria = tuple(_redact_criterion(criterion, level) for criterion in exercise.criteria)
    # Prints could carry hidden inputs out, so only the level that shows inputs anyway shows prints.
    update: dict[str, object] = {"criteria": criteria, "output": "", "output_dropped": 0, "seconds": 0.0}
    if level is FeedbackLevel.SCORE:
        update["notes"] = ()
    return exercise.model_copy(update=update)


def _redact_criterion(criterion: CriterionResult, level: FeedbackLevel) -> CriterionResult:
    if level is FeedbackLevel.SCORE:
        return criterion.model_copy(update={"checks": ()})
    return criterion.model_copy(update={"checks": tuple(_redact_check(check, level) for check in criterion.checks)})


def _redact_check(check: CheckResult, level: FeedbackLevel) -> CheckResult:
    if level is FeedbackLevel.VERDICTS:
        return CheckResult(id=check.id, title=check.title, verdict=check.verdict)
    # One place, the innermost: a chain of places that the code can choose says more than where it failed.
    update = {"mismatch": None, "message": "", "observation": None, "traceback": check.traceback[-1:], "seconds": 0.0}
    return check.model_copy(update=update)
