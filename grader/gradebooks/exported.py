"""What an export gives: the file, and whom it leaves out and why."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from grader.model.errors import GraderError
from grader.model.student_line import StudentLine
from grader.report.harmless import harmless_line
from grader.report.sentences import number

_LONGEST_HEADER: Final = 200


class GradebookError(GraderError):
    """A gradebook's own file cannot be filled in; said in one line, whatever the file's cells hold."""

    def __init__(self, message: str) -> None:
        super().__init__(harmless_line(message))


def found_columns(header: Sequence[str]) -> str:
    """Return what a table begins with, for a message of one line."""
    return ", ".join(header[:6])[:_LONGEST_HEADER].strip() or "an empty file"


class Exported(NamedTuple):
    """A file for a gradebook."""

    text: str
    written: int
    """How many students have a grade in it."""
    left_out: tuple[str, ...] = ()
    """One line for each student who has a grade and is not in the file, or is there without one, with the reason."""
    notes: tuple[str, ...] = ()
    """What has to be done on the platform for the grades to mean the same there."""


def with_grade(lines: Iterable[StudentLine], left_out: list[str]) -> Iterable[tuple[StudentLine, float]]:
    """Yield who has a grade, and note who has none: a blank or a zero in their place would be read as a grade."""
    for line in lines:
        if line.final is None:
            left_out.append(f"{shown(line)}: no grade ({line.status.replace('_', ' ')})")
        else:
            yield line, line.final


def with_bonus(lines: Iterable[StudentLine]) -> Iterable[StudentLine]:
    """Yield the lines with the bonus in the grade, for a gradebook that takes more than all points."""
    for line in lines:
        yield line if line.final is None else line._replace(final=line.final + (line.bonus or 0.0))


def find_row(known: Mapping[str, int], line: StudentLine) -> int | None:
    """Return the row of a platform's own file that is a student's, by the first that it knows of what names one."""
    student = line.student
    asked = (student.platform_id, student.id, student.email, student.name)
    return next((known[each.casefold()] for each in asked if each and each.casefold() in known), None)


def shown(line: StudentLine) -> str:
    """Return whom a message is about."""
    student = line.student
    both = f"{student.id} ({student.name})" if student.name and student.name != student.id else student.id
    return harmless_line(both)


def feedback_words(line: StudentLine) -> str:
    """Return the grade's parts in one line, such as ``masking 8 of 10, heads 12 of 15; 2 off for lateness``."""
    exercises: dict[str, list[float]] = {}
    for exercise, _, score, max_score, bonus in line.criteria:
        both = exercises.setdefault(exercise, [0.0, 0.0])
        if bonus:
            continue
        both[0] += score if max_score > 0 else 0.0
        both[1] += max_score
    parts = [f"{exercise} {number(score)} of {number(possible)}" for exercise, (score, possible) in exercises.items()]
    steps = [", ".join(parts) if line.status != "not_submitted" else "nothing was handed in"]
    if line.max_bonus and line.bonus is not None and line.status != "not_submitted":
        steps.append(f"bonus {number(line.bonus)} of {number(line.max_bonus)}")
    if line.adjustments:
        steps.append(f"{number(abs(line.adjustments))} {'added' if line.adjustments > 0 else 'taken off'} by hand")
    if line.late:
        steps.append(f"{number(-line.late)} off for lateness")
    return "; ".join(step for step in steps if step)


def two_decimals(points: float) -> str:
    """Return points as gradebooks write them."""
    return f"{points + 0.0:.2f}"
