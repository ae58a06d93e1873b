"""Docstrings as Markdown."""

from grader.notebook.prose import to_markdown


def test_a_block_is_shown_as_it_stands() -> None:
    """A worked example is a picture made of characters."""
    text = to_markdown("First.\n\nExample, as in ``x``::\n\n    a  b\n      c\n\n    d\n\nAfter.")

    assert "First.\n\nExample, as in `x`:\n\n```text\na  b\n  c\n\nd\n```\n\nAfter." == text


def test_formulas_stand_behind_the_first_paragraph() -> None:
    """As TeX that notebooks render."""
    assert "First.\n\n$$x^2$$\n\nSecond." == to_markdown("First.\n\nSecond.", ["x^2"])
