"""Write grades as Canvas's gradebook imports them.

Canvas finds a student by ID, then SIS User ID, SIS Login ID, then name, and an assignment by the number in
``Title (number)``, then by its exact title; without either it makes a new one. Source: instructure/canvas-lms,
``lib/gradebook_importer.rb`` and ``lib/gradebook_exporter.rb``.
"""

import io
import re
from collections.abc import Iterable, Sequence

from grader.gradebooks.exported import (
    Exported,
    GradebookError,
    found_columns,
    read_gradebook,
    shown,
    two_decimals,
    with_grade,
)
from grader.gradebooks.rows import OwnedRows, RowOwner
from grader.model.student_line import StudentLine
from grader.report.cells import CsvWriter, cells_under, find_column, number_cell
from grader.report.harmless import harmless_line

_IDENTITY = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_POINTS_POSSIBLE = "    Points Possible"
# Canvas's own numbers never begin with a zero.
_OWN_NUMBER = re.compile(r"[1-9]\d*")
# Excused, and not assigned to this student. A number there would be imported as a change.
_NOT_GRADED = ("EX", "N/A")


def export_canvas(lines: Iterable[StudentLine], title: str, *, from_canvas: bool) -> Exported:
    """
    Return a file with one assignment.

    A download from Canvas has its numbers, which go into ``ID``; other ids go into ``SIS User ID`` and the login. A
    wrong number in ``ID`` would give somebody else the grade.

    Args:
        lines: The class.
        title: The assignment: ``Attention (4567)`` for one that Canvas has, ``Attention`` for a new one.
        from_canvas: Whether the class was downloaded from Canvas.
    """
    left_out: list[str] = []
    rows: list[list[str | int | float | None]] = []
    possible = 0.0
    graded = list(with_grade(lines, left_out))
    # Where a roster has other ids than Canvas, those of who handed in nothing may look like its numbers and are not.
    roster_has_numbers = not any(line.student.platform_id for line, _ in graded)
    for line, final in graded:
        student = line.student
        possible = max(possible, line.max_score)
        number = student.platform_id
        if not number and (roster_has_numbers or line.status != "not_submitted"):
            number = student.id
        own = number if from_canvas and _OWN_NUMBER.fullmatch(number) else ""
        other = student.id if student.id != own else ""
        rows.append([student.name or student.id, own, other, other, student.section, number_cell(round(final, 2))])
    file = io.StringIO(newline="")
    csv = CsvWriter(file)
    csv.row([*_IDENTITY, title])
    csv.row([_POINTS_POSSIBLE, "", "", "", "", number_cell(possible)])
    for row in rows:
        csv.row(row)
    # No BOM: Canvas's reader refuses one before a quote.
    return Exported(file.getvalue(), len(rows), tuple(left_out))


def fill_canvas(lines: Iterable[StudentLine], title: str, downloaded: str) -> Exported:
    """
    Return a gradebook that was exported from Canvas, with this assignment's grades filled in.

    Args:
        lines: The class.
        title: The assignment, with or without its number; a column is added if there is none of this title.
        downloaded: The text of the exported file. Its other assignments are left out, so that none is overwritten.

    Raises:
        GradebookError: If it is no export of Canvas, or several assignments have this title.
    """
    table = read_gradebook(downloaded)
    header = table.rows[0] if table.rows else []
    section = find_column(header, "Section")
    if section is None or find_column(header, "ID") is None or find_column(header, "Student") is None:
        raise GradebookError(
            "this is no gradebook of Canvas: expected a first line with the columns Student, ID … Section, found "
            f"{found_columns(header)}. In Canvas: Grades, Export, Export Entire Gradebook."
        )
    # Kept students' rows must have a cell for the grade; Canvas leaves out what is empty at the end of a row.
    rows = table.padded()
    place = _assignment_column(header, title, section)
    kept = [[*row[: section + 1], row[place] if place is not None else ""] for row in rows]
    kept[0][-1] = header[place] if place is not None else title
    left_out: list[str] = []
    written, possible = 0, 0.0
    for number, line, final in OwnedRows(_owners(rows, header), "Canvas's file").match(lines, left_out):
        possible = max(possible, line.max_score)
        standing = kept[number][-1].strip()
        if standing.upper() in _NOT_GRADED:
            left_out.append(f"{shown(line)}: Canvas has {standing} there, which stays")
            continue
        kept[number][-1] = two_decimals(final)
        written += 1
    notes = []
    for row in kept[1:]:
        if row[0].strip() != "Points Possible":
            continue
        if not row[-1].strip():
            row[-1] = two_decimals(possible)
        elif written and _differs(row[-1], possible):
            note = (
                f"Canvas has {row[-1].strip()} points possible for {kept[0][-1]}, the course {number_cell(possible)}. "
                "An import does not change that: set the assignment's points in Canvas, or the grades mean another "
                "percentage there"
            )
            notes.append(harmless_line(note))
    return Exported(table._replace(rows=kept).text(), written, tuple(left_out), tuple(notes))


def _differs(cell: str, points: float) -> bool:
    try:
        return abs(float(cell.replace(",", ".")) - points) > 0.005
    except ValueError:  # such as "(read only)"
        return False


def _assignment_column(header: Sequence[str], title: str, section: int) -> int | None:
    wanted = title.strip().casefold()
    names = {place: header[place].strip().casefold() for place in range(section + 1, len(header))}
    found = [place for place, name in names.items() if name == wanted]
    found = found or [place for place, name in names.items() if re.sub(r" \(\d+\)$", "", name) == wanted]
    if len(found) > 1:
        both = ", ".join(header[place] for place in found)
        raise GradebookError(f"several assignments are called {title}: {both}. Say which with --title, number and all.")
    return found[0] if found else None


def _owners(rows: Sequence[Sequence[str]], header: Sequence[str]) -> dict[int, RowOwner]:
    """Return whose the rows are; those for the points possible and the test student are nobody's."""
    cells = cells_under(header, "Student", "ID", "SIS User ID", "SIS Login ID")
    owners = {}
    for row_number, row in enumerate(rows[1:], 1):
        name, number, sis_id, login = cells(row)
        if name.casefold() not in ("points possible", "student, test"):
            owners[row_number] = RowOwner(number, (sis_id, login), name=name)
    return owners
