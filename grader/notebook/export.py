"""Write the table of `nbgrader export` so that names with commas, quotes or formulas stay names."""

import csv
import io
from pathlib import Path
from typing import Any

from nbgrader.api import MissingEntry
from nbgrader.plugins import CsvExportPlugin

from grader.report.atomic import write_atomically
from grader.report.cells import text_cell

_COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)


class QuotedExport(CsvExportPlugin):  # type: ignore[misc]
    """nbgrader's own table, with cells that other programs read as they are meant."""

    def export(self, gradebook: Any) -> None:
        """Write a row for each student and assignment; who handed in nothing has no points."""
        file = io.StringIO(newline="")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for assignment in gradebook.assignments:
            if self.assignment and assignment.name not in self.assignment:
                continue
            for student in gradebook.students:
                if self.student and student.id not in self.student:
                    continue
                when, raw, penalty = _points(gradebook, assignment.name, student.id)
                texts = [assignment.name, assignment.duedate, when, student.id]
                texts += [student.last_name, student.first_name, student.email]
                cells = [text_cell(str(text)) if text else "" for text in texts]
                writer.writerow([*cells, raw, penalty, max(0.0, raw - penalty), assignment.max_score])
        write_atomically(Path(self.to or "grades.csv"), file.getvalue())


def _points(gradebook: Any, assignment: str, student: str) -> tuple[Any, float, float]:
    try:
        submission = gradebook.find_submission(assignment, student)
    except MissingEntry:
        return "", 0.0, 0.0
    return submission.timestamp, submission.score, submission.late_submission_penalty
