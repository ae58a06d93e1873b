"""A report is written as Markdown."""

import re

import pytest
import samples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from grader.model.feedback import FeedbackLevel
from grader.model.redaction import redact_report
from grader.report.harmless import harmless_line
from grader.report.markdown import code, code_block, prose, render_markdown

PARSER = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
SPECIAL = st.text(st.characters() | st.sampled_from("`*_[]()<>&|~#-+=!\\:@$\n\t1. \u202e"), max_size=60)
HARMLESS = {"text", "softbreak", "code_inline", "strong_open", "strong_close", "em_open", "em_close"}


def tokens_of(source):
    """Block and inline tokens of a document."""
    blocks = PARSER.parse(source)
    return blocks, [child for block in blocks for child in block.children or ()]


def text_of(source):
    """The words that a reader sees."""
    _, inline = tokens_of(source)
    return "".join(token.content for token in inline if token.type in ("text", "code_inline")).replace("\u200b", "")


@settings(deadline=None, max_examples=200)
@given(SPECIAL)
@example("``*a*``")
@example("`a` and ` b")
@example("\\`a`")
def test_prose_reads_as_it_was_written(text):
    """Nothing of a learner's text is markup, but for code between backticks, and no character is lost."""
    blocks, inline = tokens_of(f"- {prose('x' + text)}")

    assert {token.type for token in inline} <= {"text", "code_inline"}
    assert [block.type for block in blocks if block.type in ("fence", "html_block", "heading_open", "hr")] == []
    expected = harmless_line("x" + text)
    code_spans = re.findall(r"(?<!`)`([^`]{1,200})`(?!`)", expected)
    assert [token.content.strip() for token in inline if token.type == "code_inline"] == [
        span.strip() for span in code_spans
    ]
    assert text_of(f"- {prose('x' + text)}").replace("`", "") == expected.replace("`", "").replace("\u200b", "")


@settings(deadline=None, max_examples=200)
@given(SPECIAL)
def test_prose_begins_no_block(text):
    """At the start of a line a list, a heading, a quotation or a rule could begin; none does."""
    blocks, _ = tokens_of(prose(text))

    assert {block.type for block in blocks} <= {"paragraph_open", "inline", "paragraph_close"}


@settings(deadline=None, max_examples=100)
@given(SPECIAL)
def test_code_cannot_leave_its_fence(text):
    """Whatever backticks stand in a block or a span, its fence is longer."""
    blocks, _ = tokens_of(code_block(text.replace("\n", "") + "\n```\n````\n# not a heading"))
    _, inline = tokens_of(f"x {code('a' + text + 'b')}")

    assert [block.type for block in blocks] == ["fence"]
    assert [token.type for token in inline] == ["text", "code_inline"]


@settings(deadline=None, max_examples=25)
@given(SPECIAL)
def test_a_hostile_report_holds_no_html_link_or_image(text):
    """Through all the places where a learner can put text, no element gets in."""
    blocks, inline = tokens_of(render_markdown(samples.hostile(f"![a](http://b.c) <img src=x> {text}")))

    assert {token.type for token in inline} <= HARMLESS
    assert "html_block" not in {block.type for block in blocks}


def test_nobody_is_called_and_nothing_is_linked():
    """Where comments are read, a bare @name, #1 or address would be live."""
    source = prose("@everyone #12 http://b.c www.b.c")

    assert "@everyone" not in source
    assert "#12" not in source
    assert "http://" not in source
    assert "www.b" not in source


@pytest.mark.parametrize("name", list(samples.all_samples()))
def test_a_table_has_as_many_cells_as_columns(name):
    """A bar in a title must not shift the points into another column."""
    blocks, _ = tokens_of(render_markdown(samples.all_samples()[name]))

    rows = [block for block in blocks if block.type == "tr_open"]
    cells = [block for block in blocks if block.type in ("th_open", "td_open")]
    assert len(cells) == 4 * len(rows)


def test_the_page_says_first_what_to_fix():
    """Below the total stands the one thing to do next."""
    lines = render_markdown(samples.ordinary()).split("\n")

    assert lines[0] == "# Attention from scratch: 19 of 59 points"
    assert lines[2].startswith("**Fix this next, in scaling: You divided the scores")


def test_levels_show_no_more_than_they_may():
    """Values vanish with the level ``hints``, claims with ``score``."""
    hints = text_of(render_markdown(redact_report(samples.ordinary(), FeedbackLevel.HINTS)))
    score = text_of(render_markdown(redact_report(samples.ordinary(), FeedbackLevel.SCORE)))

    assert "0.25" not in hints
    assert "Compare the spread" in hints
    assert "The scores are divided" not in score
    assert "Weights and output equal the formula" in score


def test_the_graders_fault_is_quoted_above_everything_else():
    """An incomplete report says so before any finding."""
    source = render_markdown(samples.every_verdict())

    assert source.index("> The grader itself failed on 1 check.") < source.index("\n## ")
