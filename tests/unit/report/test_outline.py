"""A report is arranged for reading."""

import samples

from grader.model.feedback import FeedbackLevel
from grader.model.redaction import redact_report
from grader.model.verdict import Verdict
from grader.report import outline


def test_checks_that_say_the_same_are_one_group():
    """Seven checks with one diagnosis are one mistake to a learner, and two at the same line are one."""
    groups = outline.group_mistakes(samples.ordinary())

    assert [(g.exercise.id, len(g.checks)) for g in groups] == [("scaling", 7), ("heads", 2), ("heads", 1)]


def test_every_mistake_is_in_exactly_one_group():
    """Grouping hides no check."""
    report = samples.big()

    grouped = [(group.exercise.id, check.id) for group in outline.group_mistakes(report) for check in group.checks]

    wrong = [
        (exercise.id, check.id)
        for exercise in report.exercises
        for check in exercise.checks
        if check.verdict is Verdict.FAILED
    ]
    assert sorted(wrong) == sorted(grouped)


def test_the_first_group_speaks_of_the_thing_to_fix_first():
    """A recognised mistake comes before one that is not, also when it was checked later."""
    plain = samples.make_check("plain", Verdict.FAILED, rationale="Something else.")
    known = samples.make_check("known", Verdict.FAILED, diagnosis=samples.SCALE_DIAGNOSIS)
    report = samples.make_report((samples.make_exercise("heads", (samples.make_criterion("v", (plain, known)),)),))

    assert [group.speaker.id for group in outline.group_mistakes(report)] == ["known", "plain"]


def test_the_same_words_about_two_claims_are_two_mistakes():
    """ "has wrong values" is said of many claims; only with the same hint is it the same news."""
    first = samples.make_check("a", Verdict.FAILED, hint="Look at the mask.")
    second = samples.make_check("b", Verdict.FAILED, hint="Look at the scale.")
    report = samples.make_report((samples.make_exercise("heads", (samples.make_criterion("v", (first, second)),)),))

    assert len(outline.group_mistakes(report)) == 2


def test_wrong_answers_without_a_reason_are_not_grouped():
    """Where verdicts alone are shown, each claim that does not hold is a line of its own."""
    report = redact_report(samples.ordinary(), FeedbackLevel.VERDICTS)

    assert [len(group.checks) for group in outline.group_mistakes(report)] == [1, 1, 1, 1, 1, 1, 1, 2, 1]


def test_stubs_are_untouched_and_a_single_answer_is_not():
    """Skipped checks behind a stub do not make it begun; any other verdict does."""
    assert outline.is_untouched(samples.untouched())
    assert not outline.is_untouched(samples.begun())
    assert not outline.is_untouched(samples.nothing_judged())
    assert not outline.is_untouched(samples.no_exercises())


def test_the_graders_fault_stands_for_its_exercise():
    """A check that the grader spoilt must not hide behind a learner's mistake or a pass."""
    checks = [samples.make_check(verdict.value, verdict) for verdict in Verdict]

    assert Verdict.ERRORED is outline.overall_verdict(checks)
    assert Verdict.FAILED is outline.overall_verdict([c for c in checks if c.verdict is not Verdict.ERRORED])
    assert Verdict.PASSED is outline.overall_verdict([checks[0], checks[-2]])
    assert outline.overall_verdict([]) is None


def test_points_alone_say_nothing_of_verdicts():
    """At level ``score`` only full marks can be told; the rest must not be guessed."""
    report = redact_report(samples.ordinary(), FeedbackLevel.SCORE)

    assert [outline.standing(exercise) for exercise in report.exercises] == [Verdict.PASSED, None, None, None, None]
