"""A report becomes Gradescope's results.json."""

import json

import pytest

from grader.gradebooks.gradescope import render_gradescope
from grader.model.feedback import FeedbackLevel
from tests.unit.report import classes, samples


def document_of(report, level=FeedbackLevel.FULL, **fields):
    """The JSON of a graded student."""
    return json.loads(render_gradescope(classes.graded(classes.make_student(1), report, **fields), level))


def test_each_criterion_is_a_test_and_they_add_up():
    """Points, not per cent, and no test that could not be judged."""
    report = samples.ordinary()

    document = document_of(report)

    assert report.score == document["score"] == sum(test["score"] for test in document["tests"])
    assert report.max_score == sum(test["max_score"] for test in document["tests"])
    assert {"passed", "failed"} == {test["status"] for test in document["tests"]}
    assert all(test["max_score"] > 0 for test in document["tests"])


def test_the_grade_is_the_score_after_lateness():
    """Gradescope would add the tests up if it were left out."""
    report = samples.ordinary()

    document = document_of(report, final=1.0, late_points=report.score - 1.0, late_why="3 days late")

    assert 1.0 == document["score"]
    assert "3 days late" in document["output"]


@pytest.mark.parametrize("level", samples.ALL_LEVELS)
def test_no_hidden_value_leaves_below_the_level_that_shows_it(level):
    """What a student may see is the course's choice."""
    text = json.dumps(document_of(samples.ordinary(), level))

    assert ("12 of 120 entries differ" in text) == (level is FeedbackLevel.FULL)


def test_hostile_text_is_shown_as_text():
    """No escape sequence, and no format that Gradescope would render."""
    document = document_of(samples.hostile().model_copy(update={"complete": True}))

    assert "\x1b" not in document["output"]
    assert all("\x1b" not in test["output"] + test["name"] for test in document["tests"])
    assert {"text"} == {test["output_format"] for test in document["tests"]} | {document["output_format"]}


def test_who_has_no_grade_has_no_file():
    """A zero for the grader's own fault would be a grade."""
    assert (
        render_gradescope(classes.errored(classes.make_student(1), samples.grader_failed()), FeedbackLevel.FULL) is None
    )


def test_a_bonus_is_a_test_by_its_name_and_in_the_score_only_where_asked_for():
    """The score stays within the points otherwise."""
    missed = samples.make_criterion("extra", (samples.make_check("extra"),)).model_copy(update={"bonus": True})
    right = samples.make_criterion("counts", (samples.make_check("counts"),))
    exercise = samples.make_exercise("heads", (right, missed), score=2.0, max_score=2.0, bonus=2.0, max_bonus=2.0)
    report = samples.make_report((exercise,), bonus=2.0, max_bonus=2.0)
    result = classes.graded(classes.make_student(1), report, bonus=2.0, max_bonus=2.0)

    without, with_it = (
        json.loads(render_gradescope(result, FeedbackLevel.FULL, with_bonus=with_bonus)) for with_bonus in (False, True)
    )

    assert (2.0, 4.0) == (without["score"], with_it["score"])
    assert "heads: Bonus: Extra" == without["tests"][1]["name"]
