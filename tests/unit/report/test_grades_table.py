"""A class becomes a table."""

import csv

from grader.model.classroom import Student
from grader.model.student_line import CriterionLine, StudentLine
from grader.report.grades_table import GradesTable

AFTER = ["raw", "late", "adjustments", "final", "max", "flags"]


def line(student, bonus=None, max_bonus=0.0):
    """Somebody with 3 of 4 points, and whatever bonus there is."""
    extra = (CriterionLine("heads", "extra", bonus, max_bonus, bonus=True),) if max_bonus else ()
    return StudentLine(
        student=Student(id=student),
        status="graded",
        criteria=(CriterionLine("heads", "split", 3.0, 4.0), *extra),
        raw=3.0,
        adjustments=0.0,
        late=0.0,
        final=3.0,
        max_score=4.0,
        bonus=bonus,
        max_bonus=max_bonus,
    )


def rows_of(tmp_path, *lines):
    """The table by row."""
    with GradesTable() as table:
        for each in lines:
            table.add(each)
        table.write(tmp_path / "grades.csv")
    with (tmp_path / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_bonus_points_have_columns_of_their_own(tmp_path):
    """They are in no total, and every row has as many cells as the header."""
    header, first, second = rows_of(tmp_path, line("1"), line("2", bonus=1.5, max_bonus=2.0))

    assert ["heads", "heads.split", "heads.extra", *AFTER, "bonus", "max_bonus"] == header[5:]
    assert ["3", "3", "", "3", "0", "0", "3", "4", "", "", "0"] == first[5:]
    assert ["3", "3", "1.5", "3", "0", "0", "3", "4", "", "1.5", "2"] == second[5:]


def test_without_bonus_points_there_are_no_such_columns(tmp_path):
    """The table stays what it was."""
    header, row = rows_of(tmp_path, line("1"))

    assert AFTER == header[-6:]
    assert len(header) == len(row)
