"""Lay a class out as a table: one row for each student, one column for each exercise and criterion."""

import json
import tempfile
from pathlib import Path
from typing import Self

from grader.model.student_result import Standing, StudentResult
from grader.report.atomic import replacing
from grader.report.cells import BOM, Cell, CsvWriter, number_cell

_BEFORE = ("id", "name", "email", "section", "status")
_AFTER = ("raw", "late", "adjustments", "final", "max", "flags")


def status_of(result: StudentResult) -> str:
    """Return ``graded``, ``not_submitted``, ``errored``, or ``incomplete`` for a report that is no grade yet."""
    if result.standing is Standing.GRADED and result.report is not None and not result.report.complete:
        return "incomplete"
    return result.standing.value


def criterion_scores(result: StudentResult) -> dict[str, float | None]:
    """Return the points by column: ``heads`` for an exercise, ``heads.split`` for a criterion; None: not judged."""
    scores: dict[str, float | None] = {}
    for exercise in result.report.exercises if result.report else ():
        scores[exercise.id] = exercise.score if exercise.max_score > 0 else None
        for criterion in exercise.criteria:
            scores[f"{exercise.id}.{criterion.id}"] = criterion.score if criterion.max_score > 0 else None
    return scores


class GradesTable:
    """
    Takes one result after another and writes ``grades.csv`` at the end, holding no more than one row in memory.

    Rows wait in a temporary file, because the columns are only known when the last result was seen: a criterion that
    one student lacks must not drop out for the class.
    """

    def __init__(self) -> None:
        self._columns: dict[str, None] = {}
        self._rows = tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogatepass")  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()

    def add(self, result: StudentResult) -> None:
        """Take up one student. Who has no grade gets a row with its status and without points."""
        scores = criterion_scores(result) if result.grade is not None else {}
        self._columns.update(dict.fromkeys(criterion_scores(result)))
        student = result.student
        before: list[Cell] = [student.id, student.name, student.email, student.section, status_of(result)]
        flags = sorted({flag.id for flag in result.report.flags}) if result.report else []
        graded = result.grade is not None
        after: list[Cell] = [
            number_cell(result.raw) if graded else None,
            number_cell(-result.late_points) if graded else None,
            number_cell(result.adjusted) if graded else None,
            number_cell(result.grade),
            number_cell(result.max_score),
            "; ".join(flags),
        ]
        row = [before, {column: number_cell(score) for column, score in scores.items()}, after]
        self._rows.write(json.dumps(row) + "\n")

    def write(self, path: Path) -> None:
        """Write the table: raw plus late plus adjustments is final, unless that falls below zero."""
        self._rows.seek(0)
        with replacing(path) as file:
            file.write(BOM)
            csv = CsvWriter(file)
            csv.row([*_BEFORE, *self._columns, *_AFTER])
            for line in self._rows:
                before, scores, after = json.loads(line)
                csv.row([*before, *(scores.get(column) for column in self._columns), *after])
