"""A report is shown in a terminal."""

import io
import re
import time

import pytest
import samples
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from grader.model.verdict import Verdict
from grader.report.sentences import SIGNS
from grader.report.terminal import STYLES, has_symbols, render_report

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def show(report, width=80, encoding="utf-8", **options):
    """What a terminal of this width and encoding gets; fails where the encoding lacks a character."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    render_report(report, Console(file=file, width=width, **options))
    file.flush()
    return file.buffer.getvalue().decode(encoding)


@pytest.mark.parametrize("width", [30, 60, 80, 200])
@pytest.mark.parametrize("name", list(samples.all_samples()))
def test_every_line_fits_the_terminal(name, width):
    """A line that the terminal breaks itself would tear the layout apart; commands to copy stay whole."""
    lines = show(samples.all_samples()[name], width).split("\n")

    allowed = [line for line in lines if line.startswith(("Next:", "Total:"))]
    assert [line for line in lines if cell_len(line) > width and line not in allowed] == []


def test_the_first_line_is_the_one_thing_to_fix():
    """Whoever reads one line only knows what to do."""
    first, second = show(samples.ordinary()).split("\n")[:2]

    assert first == "Fix this next, in scaling: You divided the scores by the square root of d_model;"
    assert second == "each head has only d_k features."


def test_the_ordinary_page_tells_all_parts_in_order():
    """First the finding in full, then the rest in short, the table, the prints, the total and a command."""
    text = show(samples.ordinary())

    parts = [
        "Fix this next",
        "✗ scaling: wrong answer",
        "Claim           The scores are divided by √d_k.",
        "Why it matters  Without the right scale",
        "scaling.py, line 14, in scaled_dot_product_attention",
        "attention_weights, first at batch 0, head 1, query 2, key 3",
        "expected  0.25",
        "got       0.0",
        "Recognised      On 3 random draws",
        "Hint            Compare the spread",
        "… and 6 more checks say the same.",
        "Also to fix",
        "! heads: Your code raised RuntimeError: after a transpose, view finds axes",
        "Points: Attention from scratch",
        "Your code printed, in scaling:",
        "Total: 19 of 59 points",
        "Next:  grade hint scaling",
    ]
    places = [text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)


def test_the_table_is_compact():
    """An exercise at full marks or not begun takes one line, any other a line for each criterion."""
    table = show(samples.ordinary()).split("Points: Attention from scratch\n")[1].split("\n\n")[0].split("\n")

    heads = [line.split()[1] for line in table if line.startswith("  ") and not line.startswith("   ")]
    assert heads == ["masking", "scaling", "heads", "multihead", "positional"]
    assert table[0].split() == [
        "✓",
        "masking",
        "Masks",
        "and",
        "the",
        "masked",
        "softmax",
        "10",
        "of",
        "10",
        "full",
        "marks",
    ]
    assert sum("Half precision in" in line for line in table) == 1


def test_untouched_stubs_get_a_friendly_page():
    """Nobody has failed who has not begun: where to start, and no mistake, cross or red."""
    text = show(samples.untouched(), force_terminal=True, color_system="standard")

    plain = ESCAPE.sub("", text)
    assert plain.startswith("Nothing done yet: start with masking.\n\nOpen masking.py, read the task")
    assert "✗" not in text
    assert "\x1b[31m" not in text
    assert "wrong" not in text


def test_full_marks_get_a_short_page():
    """Four exercises right: a dozen lines and a half."""
    text = show(samples.full_marks())

    assert text.startswith("All right: 16 of 16 points.\n")
    assert len(text.split("\n")) < 20


def test_each_verdict_looks_different_without_colour():
    """Symbol and word are both on the page, and no two verdicts share a style with colour."""
    for encoding, field in (("utf-8", "symbol"), ("ascii", "letter")):
        text = show(samples.every_verdict(), 100, encoding)
        for verdict in set(Verdict) - {Verdict.NOT_ASSESSED, Verdict.PASSED}:
            sign = getattr(SIGNS[verdict], field)
            assert re.search(rf"^ +{re.escape(sign)} case_{verdict.value} ", text, re.MULTILINE), verdict
            assert f"{SIGNS[verdict].word}: 1 of 2" in text
    assert set(STYLES) == set(Verdict)
    assert len(set(STYLES.values())) == len(Verdict)


def test_the_graders_fault_is_said_to_be_the_graders():
    """Nobody looks for a mistake of their own, and somebody gets to know of it."""
    text = " ".join(show(samples.grader_failed()).split())

    assert text.startswith("The grader failed, not your code")
    assert "That is not your mistake, and this report is not a grade." in text
    assert "Please report it" in text
    assert "Next: grade doctor" in text


def test_mistakes_beyond_a_page_are_counted():
    """Forty-four mistakes: one in full, twelve in a line, the others as a number."""
    text = show(samples.big())

    assert text.count(": wrong answer.") == 12
    assert "+ 31 more mistakes: see the table." in text


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp932", "latin-1", "utf-16-le"])
@pytest.mark.parametrize("name", ["ordinary", "every_verdict", "hostile", "notebook", "long_output", "untouched"])
def test_any_encoding_can_show_the_report(name, encoding):
    """A terminal without UTF-8 gets letters and spelt-out signs, never a UnicodeEncodeError."""
    text = show(samples.all_samples()[name], 80, encoding)

    assert ("✗" in text) <= has_symbols(encoding)


def test_a_dumb_terminal_gets_no_escape(monkeypatch):
    """Where TERM is dumb nothing but text is written."""
    monkeypatch.setenv("TERM", "dumb")

    assert "\x1b" not in show(samples.ordinary(), force_terminal=True)


def test_colour_changes_no_character():
    """With and without colour the same text is shown."""
    coloured = show(samples.ordinary(), force_terminal=True, color_system="truecolor")

    assert "\x1b[" in coloured
    assert ESCAPE.sub("", coloured) == show(samples.ordinary())


@settings(deadline=None, max_examples=25)
@given(st.text(st.characters() | st.sampled_from("\x1b[]\\/:`<>&\n\r\t\u202e\x9b"), max_size=60))
def test_no_text_of_a_learner_reaches_the_terminal_raw(text):
    """Escapes, markup and emoji codes of a learner are shown as they were typed, or as visible escapes."""
    shown = show(samples.hostile(f"[bold]:smile:{text}"), 100, force_terminal=True, color_system="standard")

    assert not set(ESCAPE.sub("", shown)) & set("\x1b\x07\r\x9b\u202e\u2066")
    assert ESCAPE.sub("", shown).startswith("Fix this next, in heads: [bold]:smile:")


def test_a_whole_course_is_rendered_in_a_moment():
    """Eleven exercises of 25 checks: the aim is far below 50 ms, the bound leaves room for a busy machine."""
    report = samples.big()
    show(report)
    started = time.process_time()

    show(report, force_terminal=True)

    assert time.process_time() - started < 0.25
