"""A check is told fact by fact."""

import samples

from grader.model.feedback import FeedbackLevel
from grader.model.redaction import redact_report
from grader.report.finding import Look, facts_of, has_more
from grader.report.outline import group_mistakes


def labels(check, said=""):
    """The labels of a check's facts, in order."""
    return [fact.label for fact in facts_of(check, said)]


def first_of(level=FeedbackLevel.FULL):
    """The check to fix first in the ordinary sample."""
    return group_mistakes(redact_report(samples.ordinary(), level))[0].speaker


def test_facts_come_in_the_order_in_which_a_learner_needs_them():
    """Why, what, where, the values, what it is, where to look, and the hint last."""
    assert labels(first_of()) == [
        "Why it matters",
        "What happened",
        "In your code",
        "attention_weights, first at batch 0, head 1, query 2, key 3",
        "Recognised",
        "Look at",
        "Hint",
    ]


def test_levels_leave_out_what_they_hide():
    """Below ``full`` there are no values, at ``verdicts`` nothing but what became of it."""
    assert Look.COMPARISON not in [fact.look for fact in facts_of(first_of(FeedbackLevel.HINTS))]
    assert labels(first_of(FeedbackLevel.VERDICTS)) == ["What happened"]


def test_what_the_headline_said_is_not_said_again():
    """The same sentence twice within four lines looks like a mistake of the grader's."""
    check = first_of()

    facts = {fact.label: fact.lines for fact in facts_of(check, said=samples.SCALE_DIAGNOSIS.explanation)}

    assert (samples.SCALE_DIAGNOSIS.fact,) == facts["Recognised"]
    assert "What happened" not in labels(check, said=f"Fix this: {check.rationale}")


def test_a_long_traceback_shows_where_it_began_and_where_it_broke():
    """Of 900 frames six are shown, and the gap is counted."""
    check = samples.huge_traceback().exercises[0].checks[0]

    code = next(fact for fact in facts_of(check) if fact.label == "In your code")

    assert len(code.lines) == 13
    assert code.lines[4] == "… 894 more of your lines …"
    assert max(len(line) for line in code.lines) <= 124


def test_all_lines_are_harmless():
    """Every field that a learner may fill passes through the same sieve, newlines included."""
    for check in samples.hostile().exercises[0].checks:
        for fact in facts_of(check):
            for line in (fact.label, *fact.lines):
                assert not set(line) & set("\x1b\x00\x07\x9b\u202e\ud800\n"), fact.label


def test_a_plain_pass_has_nothing_more_to_tell():
    """Only a pass with a measurement or a note can be unfolded."""
    assert not has_more(samples.make_check("a"))
    assert has_more(samples.make_check("a", note="Judged on the CPU only."))
    assert labels(samples.make_check("a", note="Judged on the CPU only.")) == ["Why it matters", "Note"]
