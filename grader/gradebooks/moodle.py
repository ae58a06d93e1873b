"""Write grades as Moodle imports them: into its gradebook, or into an assignment's offline grading worksheet.

Source: moodle/moodle, ``grade/import/csv`` and ``mod/assign/feedback/offline``. One unknown user, or a grade over what
the site allows, makes Moodle refuse the whole file.
"""

import io
import re
from collections.abc import Iterable, Sequence

from grader.gradebooks.exported import (
    Exported,
    GradebookError,
    feedback_words,
    found_columns,
    is_feedback_words,
    read_gradebook,
    shown,
    two_decimals,
    with_grade,
)
from grader.gradebooks.rows import OwnedRows, RowOwner
from grader.model.student_line import StudentLine
from grader.report.cells import BOM, CsvWriter, cells_under, find_column, number_cell

_PARTICIPANT = re.compile(r"\D*?(\d+)")


def export_moodle(lines: Iterable[StudentLine], title: str) -> Exported:
    """
    Return a file for Grades, Import, CSV file: who, the grade, and a line of feedback.

    Students are named by e-mail address, or all by their ids if nobody has an address.

    Args:
        lines: The class.
        title: What the column of grades is called; it is mapped to a grade item when the file is imported.
    """
    left_out: list[str] = []
    graded = [(line, final) for line, final in with_grade(lines, left_out)]
    by_email = any(line.student.email for line, _ in graded)
    file = io.StringIO(newline="")
    csv = CsvWriter(file)
    csv.row(["Email address" if by_email else "ID number", title, f"{title} feedback"])
    written = 0
    for line, final in graded:
        who = line.student.email if by_email else line.student.id
        if not who:
            left_out.append(f"{shown(line)}: has no e-mail address, by which Moodle finds the others")
            continue
        csv.row([who, number_cell(round(final, 2)), feedback_words(line)])
        written += 1
    return Exported(BOM + file.getvalue(), written, tuple(left_out))


def fill_moodle(lines: Iterable[StudentLine], downloaded: str) -> Exported:
    """
    Return an assignment's offline grading worksheet with grades and feedback filled in.

    Students are found by participant number, then ID number, e-mail address and full name. Everything else stays as it
    was: comments of others, and above all ``Last modified (grade)``, by which Moodle sees whether a grade was changed
    meanwhile.

    Args:
        lines: The class.
        downloaded: The text of the worksheet.

    Raises:
        GradebookError: If it is no worksheet, or gives fewer points than the course.
    """
    table = read_gradebook(downloaded)
    header = table.rows[0] if table.rows else []
    identifier, grade = find_column(header, "Identifier"), find_column(header, "Grade")
    if identifier is None or grade is None:
        raise GradebookError(
            "this is no offline grading worksheet of Moodle: expected the columns Identifier and Grade, found "
            f"{found_columns(header)}. Headings are in the site's language: download the worksheet "
            "again with your language set to English."
        )
    rows = table.padded()
    feedback, maximum = find_column(header, "Feedback comments"), find_column(header, "Maximum grade")
    owners = OwnedRows(_owners(rows, header, identifier), "Moodle's worksheet")
    left_out: list[str] = []
    written, by_others = 0, 0
    for number, line, final in owners.match(lines, left_out):
        row = rows[number]
        if maximum is not None:
            _refuse_smaller_scale(row[maximum], line.max_score)
        row[grade] = two_decimals(final)
        if feedback is not None and (not row[feedback].strip() or is_feedback_words(row[feedback])):
            row[feedback] = feedback_words(line)
        elif feedback is not None:
            by_others += 1
        written += 1
    kept = f"{by_others} of the comments that Moodle has already are not this kit's, and stay"
    return Exported(table._replace(rows=rows).text(), written, tuple(left_out), (kept,) if by_others else ())


def _refuse_smaller_scale(shown_maximum: str, max_score: float) -> None:
    try:
        possible = float(shown_maximum.replace(",", "."))
    except ValueError:
        return
    if abs(possible - max_score) > 0.005:
        raise GradebookError(
            f"the worksheet's maximum grade is {possible:g}, but the course gives {max_score:g} points. Set the "
            f"assignment's maximum grade to {max_score:g} in Moodle and download the worksheet again."
        )


def _owners(rows: Sequence[Sequence[str]], header: Sequence[str], identifier: int) -> dict[int, RowOwner]:
    """Return whose the rows are."""
    cells = cells_under(header, "ID number", "Email address", "Full name")
    owners = {}
    for number, row in enumerate(rows[1:], 1):
        participant = _PARTICIPANT.fullmatch(row[identifier].strip())
        own_id, email, name = cells(row)
        owners[number] = RowOwner(participant[1] if participant else "", (own_id,), email, name)
    return owners
