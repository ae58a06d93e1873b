"""Facts become sentences."""

import re

import pytest
import samples
from rich.cells import cell_len

from grader.model.feedback import FeedbackLevel
from grader.model.redaction import redact_report
from grader.model.report import Mismatch
from grader.model.verdict import Verdict
from grader.notebook.shown import report_text
from grader.report import sentences
from grader.report.html import render_html
from grader.report.junit import render_junit
from grader.report.markdown import render_markdown
from grader.report.outline import group_mistakes


def test_no_two_verdicts_look_alike():
    """Symbol, letter and word each tell a verdict without colour, and the symbol takes one column."""
    assert set(Verdict) == set(sentences.SIGNS)
    for field in ("symbol", "letter", "word", "sentence"):
        assert len(Verdict) == len({getattr(sign, field) for sign in sentences.SIGNS.values()}), field
    assert {1} == {cell_len(sign.symbol) for sign in sentences.SIGNS.values()}
    assert all(sign.letter.isascii() and len(sign.letter) == 1 for sign in sentences.SIGNS.values())


@pytest.mark.parametrize(
    ("said", "score", "max_score"),
    [
        ("7 of 20 points", 7.0, 20.0),
        ("0 of 1 point", 0.0, 1.0),
        ("7.5 of 20 points", 7.5, 20.0),
        ("0.33 of 1.5 points", 1 / 3, 1.5),
        ("70 of 100 points", 69.99999999999, 100.0),
        ("not judged here", 0.0, 0.0),
    ],
)
def test_points(said, score, max_score):
    """Points are points, never per cent, without digits that sums of floats leave behind."""
    assert said == sentences.points(score, max_score)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("0 ms", 0.0), ("4 ms", 0.004), ("0.1 s", 0.0996), ("2.4 s", 2.41), ("10 s", 9.97), ("59 s", 59.4),
     ("1 min", 59.7), ("2 min 5 s", 125.0)],
)  # fmt: skip
def test_duration(said, seconds):
    """Times have as many digits as a person takes in, and no unit spills over into the next."""
    assert said == sentences.duration(seconds)


@pytest.mark.parametrize(
    ("said", "index"),
    [
        ("batch 0, head 1, query 2, key 3", {"batch": 0, "num_heads": 1, "seq_q": 2, "seq_k": 3}),
        ("position 4, feature 7", {"seq_len": 4, "d_model": 7}),
        ("d_k 1, d_v 2", {"d_k": 1, "d_v": 2}),
        ("axis 0 = 3", {"axis 0": 3}),
        ("layer 2", {"layer": 2}),
        ("", {}),
    ],
)
def test_index(said, index):
    """An index is read in the words of the problem; what has no word keeps its name."""
    assert said == sentences.index_words(index)


def test_a_mismatch_is_told_with_named_axes():
    """Where, expected and got stand in one sentence."""
    assert sentences.mismatch_sentence(samples.SCALE_MISMATCH) == (
        "attention_weights at batch 0, head 1, query 2, key 3: expected 0.25, got 0.0 "
        "(12 of 120 entries differ, by up to 0.25)"
    )


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("output is of the wrong type: expected a, got b", "type"),
        ("output has the wrong shape: expected a, got b", "shape"),
        ("output has the wrong dtype: expected a, got b", "dtype"),
        ("output is on the wrong device: expected a, got b", "device"),
        ("output is not finite: expected a, got b", "nan"),
        ("output: expected a, got b", "value"),
    ],
)
def test_each_kind_of_mismatch_says_what_differs(said, kind):
    """A wrong shape is not shown as a wrong value."""
    assert said == sentences.mismatch_sentence(Mismatch(kind=kind, what="output", expected="a", got="b"))


@pytest.mark.parametrize(
    ("said", "report"),
    [
        ("Fix this next, in scaling: You divided the scores by the square root of d_model; each head has only d_k "
         "features.", samples.ordinary()),
        ("Fix this next, in case_failed: “Is failed” does not hold yet.", samples.every_verdict()),
        ("Fix this next, in heads: Your code raised RuntimeError: after a transpose, view finds axes that lie apart in "
         "memory.", samples.notebook()),
        ("Nothing done yet: start with masking.", samples.untouched()),
        ("All right: 16 of 16 points.", samples.full_marks()),
        ("No mistake in what you have written. Next, begin scaling: Scaled dot-product attention.", samples.begun()),
        ("The grader failed, not your code: this report is not a grade.", samples.grader_failed()),
        ("All that was graded is right, 4 of 4 points, but not everything was graded.", samples.partial()),
        ("Nothing could be judged on this machine, so there are no points to earn or to lose.",
         samples.nothing_judged()),
        ("Nothing was graded.", samples.no_exercises()),
        ("Work on this next, in scaling: “Weights and output equal the formula” has not earned its points yet.",
         redact_report(samples.ordinary(), FeedbackLevel.SCORE)),
        ("Fix this next, in scaling: “The scores are divided by √d_k” does not hold yet.",
         redact_report(samples.ordinary(), FeedbackLevel.VERDICTS)),
    ],
)  # fmt: skip
def test_headline(said, report):
    """The first line names the one thing to do next, at each level and in each state."""
    assert said == sentences.headline(report)


@pytest.mark.parametrize("verdict", sorted(Verdict))
def test_every_mistake_has_a_headline_without_a_rationale(verdict):
    """At level ``verdicts`` there is no rationale, and still each kind of mistake has words of its own."""
    check = samples.make_check("x", verdict, "Rows sum to one.", rationale="")
    headline = sentences.headline(
        samples.make_report((samples.make_exercise("heads", (samples.make_criterion("v", (check,)),)),))
    )

    assert headline.endswith(".")
    mistake = verdict not in (Verdict.PASSED, Verdict.TODO, Verdict.SKIPPED, Verdict.NOT_ASSESSED, Verdict.ERRORED)
    assert mistake == headline.startswith("Fix this next, in heads: “Rows sum to one” ")


@pytest.mark.parametrize(
    ("command", "report"),
    [
        ("grade hint scaling", samples.ordinary()),
        ("grade hint masking", samples.untouched()),
        ("grade hint scaling", redact_report(samples.ordinary(), FeedbackLevel.SCORE)),
        ("grade solution multihead", samples.full_marks()),
        ("grade doctor", samples.grader_failed()),
        ("grade check", samples.partial()),
        ("grade check", samples.no_exercises()),
    ],
)
def test_next_command(command, report):
    """Each report ends with a command that helps from here, and says what it does."""
    assert command == sentences.next_command(report)
    assert sentences.what_command_does(command)


@pytest.mark.parametrize(
    ("said", "verdicts"),
    [
        ("wrong answer: 2 of 3", ["failed", "passed", "failed"]),
        ("wrong answer", ["failed", "failed"]),
        ("not begun", ["todo", "skipped", "todo"]),
        ("exception", ["raised", "skipped"]),
        ("passed: 2 of 2", ["passed", "passed", "not_assessed"]),
        ("not judged here", ["not_assessed"]),
        ("", []),
    ],
)
def test_tally(said, verdicts):
    """What became of several checks fits beside the points; what cannot be judged is not counted."""
    checks = tuple(samples.make_check(f"c{place}", Verdict(verdict)) for place, verdict in enumerate(verdicts))

    assert said == sentences.tally(samples.make_criterion("v", checks))


def test_an_incomplete_report_says_whose_fault_it_is():
    """The grader's fault is told apart from a course that was graded in part."""
    assert sentences.incomplete_sentences(samples.ordinary()) == []
    assert "failed on 2 checks. That is not your mistake" in sentences.incomplete_sentences(samples.grader_failed())[0]
    assert sentences.incomplete_sentences(samples.partial()) == [
        "Not every exercise was graded, so this total is not a grade."
    ]


def test_one_more_check_says_and_two_say():
    """Small grammar that a learner would notice."""
    assert sentences.same_sentence(1) == "and 1 more check says the same"
    assert sentences.same_sentence(2) == "and 2 more checks say the same"
    assert sentences.same_sentence(0) == ""


def test_a_mistake_in_one_line_names_the_idea_and_the_place():
    """A recognised mistake is told by its explanation, a wrong answer by its claim, an exception by what it was."""
    scaling, heads, dtype = (
        sentences.one_line(group.exercise, group.speaker, group.silent) for group in group_mistakes(samples.ordinary())
    )

    assert scaling == (
        "scaling: You divided the scores by the square root of d_model; each head has only d_k features. "
        "And 6 more checks say the same."
    )
    assert heads == (
        "heads: Your code raised RuntimeError: after a transpose, view finds axes that lie apart in memory "
        "(heads.py, line 9). And 1 more check says the same."
    )
    assert dtype == "heads: “Splitting keeps the dtype”: wrong answer."


def test_a_place_that_the_rationale_names_is_not_named_twice():
    """Rationales of exceptions usually end in the place."""
    check = samples.make_check(
        "a", Verdict.RAISED, rationale="Your code raised KeyError at heads.py, line 9.", traceback=samples.VIEW_FRAMES
    )
    exercise = samples.make_exercise("heads", (samples.make_criterion("v", (check,)),))

    assert sentences.one_line(exercise, check) == "heads: Your code raised KeyError at heads.py, line 9."


def bonus_report(earned, bonus):
    """A report of one exercise with a bonus."""
    checks = [samples.make_check("counts", earned), samples.make_check("extra", bonus, title="It also reads lists.")]
    criterion = samples.make_criterion("extra", (checks[1],), 1.5, "Reads lists").model_copy(update={"bonus": True})
    exercise = samples.make_exercise(
        "heads",
        (samples.make_criterion("counts", (checks[0],)), criterion),
        max_score=2.0,
        score=2.0 if earned is Verdict.PASSED else 0.0,
        bonus=criterion.score,
        max_bonus=1.5,
    )
    return samples.make_report((exercise,), bonus=criterion.score, max_bonus=1.5)


@pytest.mark.parametrize(
    ("bonus", "line"),
    [
        (Verdict.PASSED, "All right: 2 of 2 points, bonus 1.5 of 1.5."),
        (
            Verdict.FAILED,
            "All right: 2 of 2 points, bonus 0 of 1.5. For the bonus, in heads: “It also reads lists” does not hold "
            "yet.",
        ),
        (
            Verdict.TODO,
            "All right: 2 of 2 points, bonus 0 of 1.5. For the bonus, in heads: The stub still raises "
            "NotImplementedError.",
        ),
    ],
)
def test_full_marks_are_told_before_the_bonus(bonus, line):
    """A bonus that is not earned is nothing to fix."""
    assert line == sentences.headline(bonus_report(Verdict.PASSED, bonus))


def test_a_bonus_that_is_not_begun_is_named_where_no_reason_is_shown():
    """At the level that shows verdicts alone, the claim has to say it."""
    report = redact_report(bonus_report(Verdict.PASSED, Verdict.TODO), FeedbackLevel.VERDICTS)

    assert sentences.headline(report).endswith("For the bonus, in heads: “It also reads lists” is still to be written.")


def test_a_long_story_begins_in_the_first_line():
    """As many whole sentences as can be taken in at a glance; the claim where not even one can."""
    cause, advice = "Your code raised TypeError at heads.py, line 3.", "Look at it again and again. " * 7
    claim = "“Rows sum to one” cannot hold yet: your code raises an exception."
    for rationale, said in ((f"{cause} {advice}", cause), ("x" * 201, claim)):
        check = samples.make_check("x", Verdict.RAISED, "Rows sum to one.", rationale=rationale)
        exercise = samples.make_exercise("heads", (samples.make_criterion("v", (check,)),))

        headline = sentences.headline(samples.make_report((exercise,)))

        assert said in headline
        assert len(headline) < 240


def test_a_bonus_is_not_asked_for_before_what_counts():
    """The mistake that costs points comes first."""
    report = bonus_report(Verdict.RAISED, Verdict.FAILED)

    assert sentences.headline(report).startswith("Fix this next, in heads: Your code raised")
    assert ["counts", "extra"] == [group.speaker.id for group in group_mistakes(report)]


@pytest.mark.parametrize("level", samples.ALL_LEVELS)
def test_every_form_of_a_report_shows_the_bonus_apart(level):
    """Beside the total, and as such where the criteria are listed; nothing of it where there is none."""
    ordinary = samples.ordinary()
    begun = redact_report(bonus_report(Verdict.FAILED, Verdict.PASSED), level)

    for render in (report_text, render_html, render_markdown, render_junit):
        assert "onus" not in render(ordinary), render
        assert "onus" in render(begun), render
    for render in (report_text, render_html, render_markdown):
        assert "0 of 2 points, bonus 1.5 of 1.5" in " ".join(re.sub("<[^>]*>", "", render(begun)).split()), render
        assert "Bonus: Reads lists" in render(begun).replace("\\", ""), render
