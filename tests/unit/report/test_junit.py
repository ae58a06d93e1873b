"""A report is written as JUnit XML."""

from xml.etree import ElementTree

import pytest
import samples
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.model.advice import MISTAKES
from grader.model.feedback import FeedbackLevel
from grader.model.redaction import redact_report
from grader.model.verdict import Verdict
from grader.report.junit import render_junit


def parse(report):
    """The root element, read as a CI system reads the file."""
    return ElementTree.fromstring(render_junit(report).encode("utf-8"))


@settings(deadline=None, max_examples=40)
@given(st.text(st.characters() | st.sampled_from("<>&\"']\x00\x08\x0b\x1f\ufffe\uffff\ud800\n\t\r"), max_size=60))
def test_the_xml_is_valid_whatever_the_learner_wrote(text):
    """Characters that XML forbids become visible escapes, in names, messages, texts and prints."""
    source = render_junit(samples.hostile(text))

    assert source.isascii()
    ElementTree.fromstring(source.encode("utf-8"))


@pytest.mark.parametrize("name", list(samples.all_samples()))
def test_the_counts_are_those_of_the_cases(name):
    """CI systems show the attributes, not the cases: both must agree."""
    root = parse(samples.all_samples()[name])

    for part in (root, *root):
        cases = list(part.iter("testcase"))
        assert part.get("tests") == str(len(cases))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert part.get(attribute) == str(sum(case.find(tag) is not None for case in cases))


@pytest.mark.parametrize("verdict", sorted(Verdict))
def test_each_verdict_has_its_outcome(verdict):
    """A learner's mistake is a failure, the grader's fault an error, and a stub is neither."""
    root = parse(samples.every_verdict())

    case = next(case for case in root.iter("testcase") if case.get("name") == f"is_{verdict.value}")
    if verdict is Verdict.PASSED:
        expected = []
    elif verdict in MISTAKES:
        expected = ["failure"]
    else:
        expected = ["error" if verdict is Verdict.ERRORED else "skipped"]
    assert [child.tag for child in case] == expected
    assert verdict is Verdict.PASSED or case[0].get("type") == verdict.value


def test_a_suite_is_an_exercise_and_a_case_a_check():
    """Names are stable ids, so that a CI system can follow a check from run to run."""
    root = parse(samples.ordinary())

    assert [suite.get("name") for suite in root] == ["masking", "scaling", "heads", "multihead", "positional"]
    assert [(case.get("classname"), case.get("name")) for case in root[0].iter("testcase")] == [
        ("masking.shapes", "shape_is_right"),
        ("masking.shapes", "batch_of_one_stays"),
        ("masking.values", "values_are_right"),
    ]


def test_points_are_properties():
    """JUnit has no field for points, and the score must not get lost."""
    scaling = parse(samples.ordinary())[1]

    properties = {item.get("name"): item.get("value") for item in scaling.iter("property")}
    assert (properties["score"], properties["max_score"]) == ("6", "20")
    assert (properties["criterion.values.score"], properties["criterion.values.max_score"]) == ("0", "10")
    assert (properties["seed"], properties["complete"]) == ("1234", "true")


def test_the_order_within_a_suite_is_the_schemas():
    """Readers that check the schema want properties, cases, then output."""
    tags = [child.tag for child in parse(samples.ordinary())[1]]

    assert tags == ["properties", *["testcase"] * 12, "system-out"]


def test_a_failure_says_what_and_where():
    """The message alone must be enough for a line in a CI log."""
    failure = next(parse(samples.ordinary())[1].iter("failure"))

    assert failure.get("message") == (
        "wrong answer: attention_weights has wrong values. attention_weights at batch 0, head 1, query 2, key 3: "
        "expected 0.25, got 0.0 (12 of 120 entries differ, by up to 0.25)"
    )
    assert "scaling.py, line 14" in failure.text


def test_points_alone_make_a_case_of_each_criterion():
    """At level ``score`` there are no checks, and a lost criterion must not look like a pass."""
    scaling = parse(redact_report(samples.ordinary(), FeedbackLevel.SCORE))[1]

    assert [(case.get("name"), [child.tag for child in case]) for case in scaling.iter("testcase")] == [
        ("shapes", []),
        ("values", ["failure"]),
        ("concepts", ["failure"]),
        ("parity", ["skipped"]),
        ("numerics", []),
    ]


@pytest.mark.parametrize("level", samples.ALL_LEVELS)
def test_a_bonus_that_is_not_earned_fails_no_build(level):
    """It is skipped, and its points are properties of their own."""
    missed = samples.make_criterion("extra", (samples.make_check("extra", Verdict.FAILED),))
    missed = missed.model_copy(update={"bonus": True})
    right = samples.make_criterion("counts", (samples.make_check("counts"),))
    exercise = samples.make_exercise("heads", (right, missed), max_score=2.0, bonus=0.0, max_bonus=2.0)

    suites = ElementTree.fromstring(render_junit(redact_report(samples.make_report((exercise,)), level)))

    assert ("2", "0", "1") == (suites.get("tests"), suites.get("failures"), suites.get("skipped"))
    properties = {each.get("name"): each.get("value") for each in suites.iter("property")}
    assert ("2", "0", "2") == (properties["max_score"], properties["bonus"], properties["max_bonus"])
