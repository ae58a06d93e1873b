"""The rubric decides, not what came back."""

import pytest

from grader.model.advice import first_to_fix, list_mistakes
from grader.model.course import CheckClaim, Exercise
from grader.model.feedback import FeedbackLevel
from grader.model.redaction import redact_report
from grader.model.report import (
    CheckResult,
    CourseStamp,
    Diagnosis,
    Environment,
    ExerciseReport,
    Measurement,
    Mismatch,
    Observation,
    ScoreReport,
    SubmissionStamp,
)
from grader.model.rubric import Category, Criterion, Rubric
from grader.model.scoring import score_exercise, total_of_criteria, total_of_exercises
from grader.model.submission import LearnerFrame
from grader.model.verdict import Verdict

SECRET = "0.7312"
RUBRIC = Rubric(
    exercise="heads",
    title="Heads",
    points=5,
    hints=("Think.",),
    criteria=(
        Criterion(id="split", category=Category.VALUES, title="Splits", points=3, hint="Look.", checks=("one", "two")),
        Criterion(id="device", category=Category.PARITY, title="Device", points=2, hint="Look.", checks=("three",)),
    ),
)
EXERCISE = Exercise(
    id="heads",
    rubric=RUBRIC,
    promises=("split_heads",),
    claims={name: CheckClaim(id=name, title=f"Claim {name}.") for name in ("one", "two", "three")},
)
DIAGNOSIS = Diagnosis(misconception="m", explanation="You did m.", look_at="There.", fact="Equal.")


def result(check: str, verdict: Verdict, **fields: object) -> CheckResult:
    """A check's result."""
    return CheckResult(id=check, title=f"Claim {check}.", verdict=verdict, **fields)


def score(**verdicts: Verdict) -> list[tuple[float, float]]:
    """Points earned and possible, by criterion."""
    results = {check: result(check, verdict) for check, verdict in verdicts.items()}
    return [(criterion.score, criterion.max_score) for criterion in score_exercise(EXERCISE, results)]


def report_of(*checks: CheckResult) -> ScoreReport:
    """A report of one exercise."""
    criteria = score_exercise(EXERCISE, {check.id: check for check in checks})
    exercise = ExerciseReport(
        id="heads",
        title="Heads",
        score=0,
        max_score=5,
        criteria=criteria,
        output=f"printed {SECRET}",
        notes=("a note",),
    )
    return ScoreReport(
        course=CourseStamp(id="c", title="C", digest="d"),
        submission=SubmissionStamp(id="s", sha256="x", files=()),
        environment=Environment(kit="1", python="3", torch="2", platform="L", device="cpu"),
        seed=1,
        score=0,
        max_score=5,
        exercises=(exercise,),
    )


def test_a_criterion_pays_only_when_all_its_checks_pass() -> None:
    """One failed check costs the whole criterion: points are never split."""
    assert [(0, 3), (2, 2)] == score(one=Verdict.PASSED, two=Verdict.FAILED, three=Verdict.PASSED)


def test_every_verdict_but_passed_earns_nothing() -> None:
    """Whatever became of the check."""
    for verdict in set(Verdict) - {Verdict.PASSED, Verdict.NOT_ASSESSED}:
        assert (0, 2) == score(one=Verdict.PASSED, two=Verdict.PASSED, three=verdict)[1]


def test_what_cannot_be_judged_leaves_the_denominator() -> None:
    """A criterion with nothing left to judge is worth nothing; one with something left is worth its points."""
    assert [(3, 3), (0, 0)] == score(one=Verdict.PASSED, two=Verdict.NOT_ASSESSED, three=Verdict.NOT_ASSESSED)


def test_a_check_without_a_result_is_the_graders_fault() -> None:
    """The manifest says that it should have run."""
    criteria = score_exercise(EXERCISE, {})

    assert {Verdict.ERRORED} == {check.verdict for criterion in criteria for check in criterion.checks}
    assert [0, 0] == [criterion.score for criterion in criteria]


def test_a_mistake_comes_before_a_stub() -> None:
    """What is not begun is no mistake."""
    report = report_of(
        result("one", Verdict.TODO),
        result("two", Verdict.SKIPPED),
        result("three", Verdict.RAISED, rationale="Raised."),
    )

    finding = first_to_fix(report)

    assert finding is not None
    assert "three" == finding.check.id
    assert ["three"] == [finding.check.id for finding in list_mistakes(report)]


def test_a_recognised_mistake_comes_before_one_that_is_not() -> None:
    """It can be named."""
    report = report_of(result("one", Verdict.FAILED), result("three", Verdict.FAILED, diagnosis=DIAGNOSIS))

    finding = first_to_fix(report)

    assert finding is not None
    assert "three" == finding.check.id


def test_nothing_to_fix_is_nothing() -> None:
    """After full marks."""
    assert first_to_fix(report_of(*(result(name, Verdict.PASSED) for name in ("one", "two", "three")))) is None


FULL = report_of(
    result(
        "one",
        Verdict.FAILED,
        rationale="Wrong values.",
        hint="Look.",
        diagnosis=DIAGNOSIS,
        mismatch=Mismatch(kind="value", what="x", index={"batch": 0}, expected=SECRET, got="1"),
        message=f"ValueError: {SECRET}",
        observation=Observation(numbers=(Measurement(label="spread", value=0.7312),), sentence="It is 0.7312."),
        traceback=(LearnerFrame(file="heads.py", line=3, function="f", source="return x"),),
    )
)


def test_below_full_no_hidden_value_is_shown_but_the_hint_is() -> None:
    """Hidden and helpful are independent."""
    text = redact_report(FULL, FeedbackLevel.HINTS).model_dump_json()

    assert SECRET in FULL.model_dump_json()
    assert SECRET not in text
    assert "Look." in text
    assert "You did m." in text
    assert "return x" in text


def test_verdicts_show_what_passed_and_no_more() -> None:
    """Not even a hint."""
    text = redact_report(FULL, FeedbackLevel.VERDICTS).model_dump_json()

    assert "failed" in text
    assert "Look." not in text
    assert "You did m." not in text


def test_score_shows_points_only() -> None:
    """No check at all."""
    cut = redact_report(FULL, FeedbackLevel.SCORE)

    assert () == cut.exercises[0].checks
    assert (5, 5) == (cut.max_score, FULL.max_score)


@pytest.mark.parametrize("level", [FeedbackLevel.HINTS, FeedbackLevel.VERDICTS, FeedbackLevel.SCORE])
def test_below_full_no_time_tells_a_hidden_value(level: FeedbackLevel) -> None:
    """Code can sleep for as long as a hidden number says; whole seconds of all of it are what remains."""
    exercise = FULL.exercises[0]
    checks = tuple(check.model_copy(update={"seconds": 0.7312}) for check in exercise.checks)
    criteria = tuple(criterion.model_copy(update={"checks": checks}) for criterion in exercise.criteria)
    slow = exercise.model_copy(update={"seconds": 0.7312, "criteria": criteria})
    report = FULL.model_copy(update={"seconds": 1.7312, "exercises": (slow,)})

    text = redact_report(report, level).model_dump_json()

    assert "7312" in report.model_dump_json()
    assert "7312" not in text
    assert 2.0 == redact_report(report, level).seconds


def test_cutting_never_gives_back() -> None:
    """A report that was cut further stays as it is."""
    cut = redact_report(FULL, FeedbackLevel.SCORE)

    assert cut == redact_report(cut, FeedbackLevel.FULL)
    assert FULL == redact_report(FULL, FeedbackLevel.FULL)


def test_a_report_survives_json() -> None:
    """Field by field."""
    assert FULL == ScoreReport.model_validate_json(FULL.model_dump_json())


def test_numbers_that_are_not_finite_survive_json() -> None:
    """A suite may measure one on wrong code, and must not stop the grading by it."""
    observation = Observation(
        numbers=(Measurement(label="a", value=float("inf")), Measurement(label="b", value=float("-inf"))), sentence="S."
    )

    assert observation == Observation.model_validate_json(observation.model_dump_json())


def with_bonus(**verdicts: Verdict) -> ScoreReport:
    """A report of the exercise in which the criterion ``device`` is a bonus."""
    split, device = RUBRIC.criteria
    rubric = Rubric.model_validate(
        {**RUBRIC.model_dump(), "points": 3, "criteria": (split, device.model_copy(update={"bonus": True}))}
    )
    results = {check: result(check, verdict) for check, verdict in verdicts.items()}
    criteria = score_exercise(EXERCISE.model_copy(update={"rubric": rubric}), results)
    exercise = FULL.exercises[0].model_copy(
        update={"criteria": criteria, "output": "", **total_of_criteria(criteria)._asdict()}
    )
    return FULL.model_copy(update={"exercises": (exercise,), **total_of_exercises([exercise])._asdict()})


def test_a_bonus_is_in_no_total_and_full_marks_do_not_need_it() -> None:
    """It is beside the score, earned or not."""
    without = with_bonus(one=Verdict.PASSED, two=Verdict.PASSED, three=Verdict.FAILED)
    with_it = with_bonus(one=Verdict.PASSED, two=Verdict.PASSED, three=Verdict.PASSED)
    alone = with_bonus(one=Verdict.FAILED, two=Verdict.PASSED, three=Verdict.PASSED)

    assert (3, 3, 0, 2) == (without.score, without.max_score, without.bonus, without.max_bonus)
    assert (3, 3, 2, 2) == (with_it.score, with_it.max_score, with_it.bonus, with_it.max_bonus)
    assert (0, 3, 2, 2) == (alone.score, alone.max_score, alone.bonus, alone.max_bonus)
    assert without.full_marks
    assert with_it.full_marks
    assert not alone.full_marks


def test_a_bonus_that_cannot_be_judged_leaves_its_denominator() -> None:
    """As any criterion does."""
    report = with_bonus(one=Verdict.PASSED, two=Verdict.PASSED, three=Verdict.NOT_ASSESSED)

    assert (0, 0) == (report.bonus, report.max_bonus)


@pytest.mark.parametrize(
    ("first", "three", "expected"),
    [
        (Verdict.FAILED, Verdict.FAILED, "one"),
        (Verdict.TODO, Verdict.FAILED, "one"),
        (Verdict.PASSED, Verdict.FAILED, "three"),
        (Verdict.PASSED, Verdict.TODO, "three"),
    ],
)
def test_what_earns_a_bonus_comes_last(first: Verdict, three: Verdict, expected: str) -> None:
    """A stub that counts is more urgent than a mistake that does not."""
    finding = first_to_fix(with_bonus(one=first, two=Verdict.PASSED, three=three))

    assert finding is not None
    assert expected == finding.check.id
    assert (expected == "three") is finding.bonus


@pytest.mark.parametrize("level", list(FeedbackLevel))
def test_every_level_shows_the_bonus_points(level: FeedbackLevel) -> None:
    """They are points like any others."""
    cut = redact_report(with_bonus(one=Verdict.PASSED, two=Verdict.FAILED, three=Verdict.PASSED), level)

    assert (0, 3, 2, 2) == (cut.score, cut.max_score, cut.bonus, cut.max_bonus)
    assert [False, True] == [criterion.bonus for criterion in cut.exercises[0].criteria]
