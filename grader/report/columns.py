"""Break text into lines that fit a number of terminal columns."""

import re

from rich.cells import cell_len, chop_cells

_WORD = re.compile(r"\s*\S+")


def wrap(text: str, columns: int, hang: int = 0) -> list[str]:
    """
    Break one line of text between words into lines of at most ``columns`` terminal cells.

    Indents and runs of blanks stay where the line is not broken; a word that is too long is cut. Rich's own
    wrapping is not used: with its tables around it, a report of a whole course takes half a second.

    Args:
        text: One line, without newlines and tabs.
        columns: Terminal cells; wide characters count as two.
        hang: Further blanks in front of every line but the first.
    """
    if cell_len(text) <= columns:
        return [text.rstrip()]
    # However narrow the terminal, each line must take something of the text.
    columns = max(columns, 4)
    indent = " " * min(len(text) - len(text.lstrip()) + hang, columns // 2)
    lines: list[str] = []
    line, used = "", 0
    for match in _WORD.finditer(text):
        word = match[0]
        width = cell_len(word)
        if line.strip() and used + width > columns:
            lines.append(line.rstrip())
            word = indent + word.lstrip()
            line, width = "", cell_len(word)
            used = 0
        if used + width > columns:
            *whole, word = _cut(word, columns, indent)
            lines.extend(whole)
            line, width, used = "", cell_len(word), 0
        line += word
        used += width
    return [*lines, line.rstrip()] if line.strip() else lines or [""]


def pad(text: str, columns: int) -> str:
    """Return the text with blanks behind it up to so many terminal cells."""
    return text + " " * (columns - cell_len(text))


def _cut(word: str, columns: int, indent: str) -> list[str]:
    first, *rest = chop_cells(word, columns)
    if not rest:
        return [first]
    return [first, *(indent + part for part in chop_cells("".join(rest), max(2, columns - len(indent))))]
