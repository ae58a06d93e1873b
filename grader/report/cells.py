"""Write text into a CSV file so that every reader gets it back and no spreadsheet runs it."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import IO, NamedTuple

Cell = str | int | float | None

# What a spreadsheet takes for the start of a formula, in the wide forms of East Asian keyboards too. Some look past
# blanks, others past a quote that a careless reader left in place.
_FORMULA = re.compile(r"""[\s"]*[=+\-@＝＋－＠]""")
_BREAK = re.compile(r"\r\n|[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

BOM = "\ufeff"
"""Tells Excel that a file is UTF-8; without it names lose their accents."""


def text_cell(text: str) -> str:
    """
    Return text for one cell.

    Line breaks and tabs become blanks, characters that cannot be shown become U+FFFD, and what a spreadsheet would run
    as a formula gets an apostrophe in front. Everything else stays as it is, leading zeros and quotes included.
    """
    text = _UNPRINTABLE.sub("\ufffd", _BREAK.sub(" ", text))
    return f"'{text}" if _FORMULA.match(text) else text


@lru_cache(maxsize=1000)  # a table of a class has a million cells and few numbers
def number_cell(value: float | None) -> int | float | None:
    """Return points without needless digits; ``None``, an empty cell, where there is no number."""
    if value is None:
        return None
    rounded = round(value, 4)
    return int(rounded) if rounded == int(rounded) else rounded


class CsvWriter:
    """Writes rows as RFC 4180 says: text always in quotes, so that ``007`` stays text, and numbers never."""

    def __init__(self, file: IO[str]):
        self._writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")

    def row(self, cells: Iterable[Cell]) -> None:
        """Write one row; texts go through `text_cell`."""
        shown = [text_cell(cell) if isinstance(cell, str) else "" if cell is None else cell for cell in cells]
        self._writer.writerow(shown)


class ForeignTable(NamedTuple):
    """A CSV file of another system, kept as it is but for the cells that are filled in."""

    rows: list[list[str]]
    delimiter: str
    with_bom: bool

    def padded(self) -> list[list[str]]:
        """Return copies of the rows, each at least as wide as the first: what is empty at the end is often left out."""
        width = len(self.rows[0]) if self.rows else 0
        return [row + [""] * (width - len(row)) for row in self.rows]

    def text(self) -> str:
        """Return the file again, with the same separators."""
        file = io.StringIO(newline="")
        csv.writer(file, delimiter=self.delimiter, lineterminator="\r\n").writerows(self.rows)
        return (BOM if self.with_bom else "") + file.getvalue()


def read_table(text: str) -> ForeignTable:
    """Return a CSV file that another system wrote: with or without a BOM, by comma, semicolon or tab."""
    with_bom = text.startswith(BOM)
    text = text.removeprefix(BOM)
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    return ForeignTable(rows, delimiter, with_bom)


def find_column(header: Sequence[str], *names: str) -> int | None:
    """Return where a column is, by any of its names, in any letter case; ``None`` if it is not there."""
    plain = [cell.strip().casefold() for cell in header]
    return next((plain.index(name.casefold()) for name in names if name.casefold() in plain), None)


def cells_under(header: Sequence[str], *columns: str) -> Callable[[Sequence[str]], list[str]]:
    """Return what takes a row's cells under these headings, without blanks around; empty where there is no column."""
    places = [find_column(header, column) for column in columns]
    return lambda row: [row[place].strip() if place is not None else "" for place in places]
