"""Lay a class out as a table: one row for each student, one column for each exercise and criterion."""

import json
import tempfile
from pathlib import Path
from typing import Self

from grader.model.student_line import StudentLine
from grader.report.atomic import replacing
from grader.report.cells import BOM, Cell, CsvWriter, number_cell

_BEFORE = ("id", "name", "email", "section", "status")
_AFTER = ("raw", "late", "adjustments", "final", "max", "flags")
_BONUS = ("bonus", "max_bonus")


def points_by_column(line: StudentLine) -> dict[str, float | None]:
    """
    Return the points by column: ``heads`` for an exercise, ``heads.split`` for a criterion; None: not judged.

    A criterion with a bonus has its column and is not in its exercise.
    """
    points: dict[str, float | None] = {}
    for exercise, criterion, score, max_score, bonus in line.criteria:
        if exercise not in points:
            points[exercise] = None
        points[f"{exercise}.{criterion}"] = score if max_score > 0 else None
        if max_score > 0 and not bonus:
            points[exercise] = (points[exercise] or 0.0) + score
    return points


class GradesTable:
    """
    Takes one student after another and writes ``grades.csv`` at the end, holding no more than one row in memory.

    Rows wait in a temporary file, because the columns are only known when the last student was seen: a criterion that
    one student lacks must not drop out for the class.
    """

    def __init__(self) -> None:
        self._columns: dict[str, None] = {}
        self._has_bonus = False
        self._rows = tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogatepass")  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()

    def add(self, line: StudentLine) -> None:
        """Take up one student. Who has no grade gets a row with its status and without points."""
        points = points_by_column(line)
        self._columns.update(dict.fromkeys(points))
        student = line.student
        before: list[Cell] = [student.id, student.name, student.email, student.section, line.status]
        after: list[Cell] = [
            number_cell(line.raw),
            number_cell(line.late),
            number_cell(line.adjustments),
            number_cell(line.final),
            number_cell(line.max_score),
            "; ".join(line.flags),
            number_cell(line.bonus),
            number_cell(line.max_bonus),
        ]
        self._has_bonus = self._has_bonus or line.max_bonus > 0
        shown = [number_cell(points.get(column)) for column in self._columns] if line.final is not None else []
        self._rows.write(json.dumps([before, shown, after]) + "\n")

    def write(self, path: Path) -> None:
        """
        Write the table: raw plus late plus adjustments is final, unless that falls below zero.

        Where there are bonus points, they stand in two more columns at the end, and in no other.
        """
        end = [*_AFTER, *(_BONUS if self._has_bonus else ())]
        self._rows.seek(0)
        with replacing(path) as file:
            file.write(BOM)
            csv = CsvWriter(file)
            csv.row([*_BEFORE, *self._columns, *end])
            for line in self._rows:
                before, scores, after = json.loads(line)
                csv.row([*before, *scores, *[None] * (len(self._columns) - len(scores)), *after[: len(end)]])
