"""What an export gives: the file, and whom it leaves out and why."""

import csv
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from grader.model.errors import GraderError
from grader.model.student_line import StudentLine
from grader.report.cells import ForeignTable, read_table
from grader.report.harmless import harmless_line
from grader.report.sentences import number

_LONGEST_HEADER: Final = 200
_FEEDBACK_WORDS: Final = re.compile(
    r"(?:nothing was handed in|[a-z]\w* [\d.,]+ of [\d.,]+(?:, [a-z]\w* [\d.,]+ of [\d.,]+)*)"
    r"(?:; bonus [\d.,]+ of [\d.,]+|; [\d.,]+ (?:added|taken off) by hand|; [\d.,]+ off for lateness)*"
)


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
    """Yield who has a grade, and note who has none."""
    for line in lines:
        if line.final is None:
            left_out.append(no_grade(line))
        else:
            yield line, line.final


def no_grade(line: StudentLine) -> str:
    """Say that somebody without a grade is left out: a blank or a zero in their place would be read as a grade."""
    return f"{shown(line)}: no grade ({line.status.replace('_', ' ')})"


def read_gradebook(text: str) -> ForeignTable:
    """
    Return a gradebook's own file as a table.

    Raises:
        GradebookError: If it is no CSV.
    """
    try:
        return read_table(text)
    except csv.Error as error:
        raise GradebookError(f"it is not valid CSV ({error})") from None


def with_bonus(lines: Iterable[StudentLine]) -> Iterable[StudentLine]:
    """Yield the lines with the bonus in the grade, for a gradebook that takes more than all points."""
    for line in lines:
        yield line if line.final is None else line._replace(final=line.final + (line.bonus or 0.0))


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


def is_feedback_words(cell: str) -> bool:
    """Whether a comment is what `feedback_words` wrote, perhaps for another grade."""
    return _FEEDBACK_WORDS.fullmatch(cell.strip()) is not None


def two_decimals(points: float) -> str:
    """Return points as gradebooks write them."""
    return f"{points + 0.0:.2f}"
