"""What the files of a graded class are, for programs that read them."""

from typing import Final, Literal

from pydantic import Field

from grader.model.base import Model
from grader.model.classroom import Student
from grader.model.feedback import FeedbackLevel
from grader.model.report import CourseStamp

INDEX_VERSION: Final = 1


class IndexEntry(Model):
    """One student's files and grade."""

    student: Student
    status: str
    """``graded``, ``not_submitted``, ``errored`` or ``incomplete``; only the first two have a grade."""
    folder: str
    """Path from the index, with forward slashes."""
    files: tuple[str, ...] = ()
    """Names in the folder."""
    raw: float | None = None
    late: float = 0.0
    """Zero or less: what lateness adds to the score."""
    adjustments: float = 0.0
    final: float | None = None
    max_score: float = Field(default=0.0, ge=0)
    bonus: float = Field(default=0.0, ge=0)
    """Points earned on top, in no other number here."""
    max_bonus: float = Field(default=0.0, ge=0)
    flags: tuple[str, ...] = ()
    sha256: str = ""
    """Digest of the sources that were graded; empty if there were none."""
    in_roster: bool = True


class ClassIndex(Model):
    """``index.json``: one entry for each student, ordered as the results came."""

    schema_version: Literal[1] = INDEX_VERSION
    course: CourseStamp | None = None
    """Empty when no report could be written."""
    feedback: FeedbackLevel
    counts: dict[str, int]
    """How many students have each status."""
    students: tuple[IndexEntry, ...]
