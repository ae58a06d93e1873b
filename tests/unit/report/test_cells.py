"""Text survives a CSV file, and no spreadsheet runs it."""

import csv
import io
import re

import classes
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.report.cells import CsvWriter, find_column, number_cell, read_table, text_cell

FORMULA_STARTS = tuple("=+-@\t\r＝＋－＠")
PRINTABLE = st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\u2028\u2029\ufffe\uffff"))


def written(*rows):
    """The text of a file with these rows."""
    file = io.StringIO(newline="")
    writer = CsvWriter(file)
    for row in rows:
        writer.row(row)
    return file.getvalue()


@given(st.lists(PRINTABLE, min_size=1))
def test_text_comes_back_from_the_csv_module_as_it_was(texts):
    """But for the apostrophe that disarms a formula."""
    [back] = csv.reader(io.StringIO(written(texts), newline=""))

    assert texts == [got.removeprefix("'") if got != text else got for got, text in zip(back, texts, strict=True)]


@given(st.text())
def test_no_cell_begins_like_a_formula(text):
    """Whatever stands in front of the sign that a spreadsheet may look past."""
    cell = text_cell(text)

    assert not cell.startswith(FORMULA_STARTS)
    assert not cell.lstrip(' "').startswith(FORMULA_STARTS)
    assert not re.search(r"[\x00-\x1f\x7f]", cell)


@given(st.lists(st.one_of(st.text(), st.integers(), st.none()), min_size=1))
def test_every_row_is_one_line(cells):
    """Readers that split at line ends, as many scripts do, still see one student a line."""
    assert 1 == len(written(cells).splitlines())


@pytest.mark.parametrize("name", classes.AWKWARD_NAMES)
def test_awkward_names_stay_in_their_column(name):
    """A comma or a quote in a name moves nothing."""
    [row] = csv.reader(io.StringIO(written(["007", name, 3]), newline=""))

    assert 3 == len(row)
    assert "007" == row[0]
    assert "3" == row[2]


def test_text_is_quoted_and_numbers_are_not():
    """So that a reader that minds quotes keeps leading zeros, and none takes a grade for text."""
    assert '"007","García, ""Pepe""",6.5,7,""\r\n' == written(["007", 'García, "Pepe"', 6.5, 7, None])


def test_points_have_no_needless_digits():
    """A sum of tenths shows no trace of binary fractions."""
    assert 0.3 == number_cell(0.1 + 0.2)
    assert "7" == str(number_cell(7.0))
    assert "0" == str(number_cell(-0.0))
    assert number_cell(None) is None


@pytest.mark.parametrize("text", ["a,b\r\n1,2\r\n", "\ufeffa;b\n1;2\n", "a\tb\n1\t2"])
def test_files_of_other_systems_are_read_whatever_separates_their_columns(text):
    """Where a comma is the decimal sign, spreadsheets write semicolons."""
    assert [["a", "b"], ["1", "2"]] == read_table(text).rows


def test_a_table_of_another_system_is_written_as_it_was_read():
    """Cells that begin like a formula, which the other system wrote, must match when they come back."""
    text = '\ufeffID;Name;Grade\r\n1;"=x;y";-\r\n2;"two\nlines";\r\n'

    assert text == read_table(text).text()


def test_columns_are_found_in_any_letter_case():
    """Platforms change the case of their headers."""
    assert 1 == find_column(["ID", "Email Address "], "email address", "mail")
    assert find_column(["ID"], "email address") is None
