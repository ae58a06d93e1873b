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
    find_row,
    found_columns,
    shown,
    two_decimals,
    with_grade,
)
from grader.model.student_line import StudentLine
from grader.report.cells import BOM, CsvWriter, find_column, number_cell, read_table
from grader.report.harmless import harmless_line

_IDENTITY = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_POINTS_POSSIBLE = "    Points Possible"
# Canvas's own numbers never begin with a zero.
_OWN_NUMBER = re.compile(r"[1-9]\d*")


def export_canvas(lines: Iterable[StudentLine], title: str) -> Exported:
    """
    Return a file with one assignment.

    A download from Canvas has its numbers, which go into ``ID``; other ids go into ``SIS User ID`` and the login.

    Args:
        lines: The class.
        title: The assignment: ``Attention (4567)`` for one that Canvas has, ``Attention`` for a new one.
    """
    left_out: list[str] = []
    rows: list[list[str | int | float | None]] = []
    possible = 0.0
    for line, final in with_grade(lines, left_out):
        student = line.student
        possible = max(possible, line.max_score)
        own = next((each for each in (student.platform_id, student.id) if _OWN_NUMBER.fullmatch(each)), "")
        other = student.id if student.id != own else ""
        rows.append([student.name or student.id, own, other, other, student.section, number_cell(round(final, 2))])
    file = io.StringIO(newline="")
    csv = CsvWriter(file)
    csv.row([*_IDENTITY, title])
    csv.row([_POINTS_POSSIBLE, "", "", "", "", number_cell(possible)])
    for row in rows:
        csv.row(row)
    return Exported(BOM + file.getvalue(), len(rows), tuple(left_out))


def fill_canvas(lines: Iterable[StudentLine], title: str, downloaded: str) -> Exported:
    """
    Return a gradebook that was exported from Canvas, with this assignment's grades filled in.

    Args:
        lines: The class.
        title: The assignment, with or without its number; a column is added if there is none of this title.
        downloaded: The text of the exported file. Its other assignments are left out, so that none is overwritten.

    Raises:
        GradebookError: If it is no export of Canvas.
    """
    table = read_table(downloaded)
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
    known = _index(rows, header)
    kept = [[*row[: section + 1], row[place] if place is not None else ""] for row in rows]
    kept[0][-1] = header[place] if place is not None else title
    left_out: list[str] = []
    written, possible = 0, 0.0
    for line, final in with_grade(lines, left_out):
        possible = max(possible, line.max_score)
        found = find_row(known, line)
        if found is None:
            left_out.append(f"{shown(line)}: not in Canvas's file")
            continue
        kept[found][-1] = two_decimals(final)
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
        return abs(float(cell) - points) > 0.005
    except ValueError:  # such as "(read only)"
        return False


def _assignment_column(header: Sequence[str], title: str, section: int) -> int | None:
    wanted = title.strip().casefold()
    for place in range(section + 1, len(header)):
        name = header[place].strip().casefold()
        if wanted in (name, re.sub(r" \(\d+\)$", "", name)):
            return place
    return None


def _given_name_first(name: str) -> str:
    """Return ``ada lovelace`` for ``lovelace, ada``, as Canvas's export sorts names."""
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma else name


def _index(rows: Sequence[Sequence[str]], header: Sequence[str]) -> dict[str, int]:
    """Return where each student's row is, by everything that names one student alone."""
    index: dict[str, int] = {}
    ambiguous: set[str] = set()
    for column in ("ID", "SIS User ID", "SIS Login ID", "Student"):
        place = find_column(header, column)
        if place is None:
            continue
        here: dict[str, int] = {}
        for number, row in enumerate(rows[1:], 1):
            name = row[place].strip().casefold()
            if not name or name in ("points possible", "student, test"):
                continue
            for each in {name, _given_name_first(name) if column == "Student" else name}:
                if each in here:
                    ambiguous.add(each)
                here[each] = number
        index = {**here, **index}
    return {name: number for name, number in index.items() if name not in ambiguous}
