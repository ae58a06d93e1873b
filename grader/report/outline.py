"""Arrange a report for reading: what comes first, what says the same, how an exercise stands."""

from collections.abc import Sequence
from typing import NamedTuple

from grader.model.advice import MISTAKES, Finding, first_to_fix, list_mistakes
from grader.model.report import CheckResult, CriterionResult, ExerciseReport, ScoreReport
from grader.model.verdict import Verdict

_NOT_BEGUN = frozenset({Verdict.TODO, Verdict.SKIPPED, Verdict.NOT_ASSESSED})


class Group(NamedTuple):
    """Checks of one exercise that say the same thing; the first of them speaks for all."""

    exercise: ExerciseReport
    checks: tuple[CheckResult, ...]

    @property
    def speaker(self) -> CheckResult:
        """The check that is shown."""
        return self.checks[0]

    @property
    def silent(self) -> int:
        """How many more checks say the same."""
        return len(self.checks) - 1


def group_mistakes(report: ScoreReport) -> list[Group]:
    """Return the learner's mistakes, what says the same together, the one to fix first in front."""
    findings = list_mistakes(report)
    first = first_to_fix(report)
    if first is not None and first in findings:
        findings = [first, *(finding for finding in findings if finding is not first and finding != first)]
    return _group(findings)


def group_errored(report: ScoreReport) -> list[Group]:
    """Return the checks on which the grader itself failed, what says the same together."""
    return _group(
        [
            Finding(exercise, check)
            for exercise in report.exercises
            for check in exercise.checks
            if check.verdict is Verdict.ERRORED
        ]
    )


def is_untouched(report: ScoreReport) -> bool:
    """Whether nothing is begun: every check met a stub, or waits for one that did."""
    verdicts = {check.verdict for exercise in report.exercises for check in exercise.checks}
    return Verdict.TODO in verdicts and verdicts <= _NOT_BEGUN


def overall_verdict(checks: Sequence[CheckResult]) -> Verdict | None:
    """
    Return the one verdict that stands for several checks, or ``None`` when no check is shown.

    The grader's own fault comes before everything, a mistake before what is not begun. A check that cannot be
    judged here decides only where nothing else was judged.
    """
    verdicts = [check.verdict for check in checks]
    if Verdict.ERRORED in verdicts:
        return Verdict.ERRORED
    mistake = next((verdict for verdict in verdicts if verdict in MISTAKES), None)
    if mistake is not None:
        return mistake
    for verdict in (Verdict.TODO, Verdict.SKIPPED, Verdict.PASSED, Verdict.NOT_ASSESSED):
        if verdict in verdicts:
            return verdict
    return None


def earned_all(part: CriterionResult | ExerciseReport) -> bool:
    """Whether every point that could be earned here was."""
    return part.score >= part.max_score > 0


def first_open(report: ScoreReport) -> tuple[ExerciseReport, CriterionResult] | None:
    """Return the first criterion, bonus apart, whose points are not earned: all that points alone can point to."""
    for exercise in report.exercises:
        for criterion in exercise.criteria:
            if criterion.score < criterion.max_score and not criterion.bonus:
                return exercise, criterion
    return None


def exercise_to_work_on(report: ScoreReport) -> ExerciseReport | None:
    """Return the exercise to work on next, or ``None`` when there is nothing left to do."""
    finding = first_to_fix(report)
    if finding is not None:
        return finding.exercise
    open_part = first_open(report)
    return open_part[0] if open_part else None


def standing(part: CriterionResult | ExerciseReport) -> Verdict | None:
    """Return how a criterion or exercise stands; of points alone only full marks can be told, the rest is ``None``."""
    if not part.checks:
        return Verdict.PASSED if earned_all(part) else None
    verdict = overall_verdict(part.checks)
    # A bonus that is not earned makes no exercise unfinished.
    return Verdict.PASSED if earned_all(part) and verdict is not Verdict.ERRORED else verdict


def is_begun(exercise: ExerciseReport) -> bool:
    """Whether an exercise has anything to tell beyond its stub; not known, so assumed, when only points are shown."""
    return not exercise.checks or not {check.verdict for check in exercise.checks} <= _NOT_BEGUN


def find_observations(report: ScoreReport) -> list[Finding]:
    """Return the passed checks that measured something on the learner's code."""
    return [
        Finding(exercise, check)
        for exercise in report.exercises
        for check in exercise.checks
        if check.observation is not None and check.verdict is Verdict.PASSED
    ]


def _group(findings: Sequence[Finding]) -> list[Group]:
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.exercise.id, *_message_of(finding.check)), []).append(finding)
    return [Group(found[0].exercise, tuple(finding.check for finding in found)) for found in groups.values()]


def _message_of(check: CheckResult) -> tuple[object, ...]:
    """What a check says to the learner, so that checks that say the same can be told by it."""
    if check.diagnosis is not None:
        return ("diagnosis", check.diagnosis.misconception)
    if check.verdict is Verdict.FAILED:
        # "wrong values" is said of many claims: only within one criterion, which has one hint, is it the same news.
        return (check.verdict, check.rationale, check.hint) if check.rationale else (check.verdict, check.id)
    place = check.traceback[-1] if check.traceback else None
    return (check.verdict, check.rationale, place)
