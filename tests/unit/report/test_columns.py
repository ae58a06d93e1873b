"""Text is broken into terminal lines."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from grader.report.columns import pad, wrap

PLAIN = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")))


@settings(deadline=None, max_examples=60)
@given(PLAIN, st.integers(4, 60), st.integers(0, 4))
def test_no_line_is_wider_than_asked_and_no_character_is_lost(text, columns, hang):
    """Wide characters and words without blanks must fit as well; only blanks may go."""
    lines = wrap(text, columns, hang)

    assert max(cell_len(line) for line in lines) <= columns
    assert "".join(text.split()) == "".join("".join(lines).split())


def test_lines_break_between_words():
    """A word stays whole where it fits."""
    assert wrap("Scores are divided by the root.", 10) == ["Scores are", "divided by", "the root."]


def test_further_lines_hang_below_the_indent_of_the_first():
    """A line of code that is broken shows that it goes on."""
    assert wrap("    a = b + c + d", 12, hang=2) == ["    a = b +", "      c + d"]


def test_blanks_within_a_line_stay():
    """Prints in columns keep their columns."""
    assert wrap("a    b", 10) == ["a    b"]


def test_padding_counts_wide_characters_as_two():
    """Columns stand straight below titles in any language."""
    assert pad("頭", 6) + "|" == "頭    |"
