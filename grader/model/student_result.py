"""What one student of a graded class ends up with."""

from enum import StrEnum

from pydantic import AwareDatetime, Field

from grader.model.base import Model
from grader.model.classroom import Student
from grader.model.late import Lateness
from grader.model.report import ScoreReport


class Standing(StrEnum):
    """Whether a student has a grade, and if not, why."""

    GRADED = "graded"
    NOT_SUBMITTED = "not_submitted"
    """Nothing was handed in: zero points, which is a grade."""
    ERRORED = "errored"
    """The grader's own fault: never to be exported as a grade."""


class PointsChange(Model):
    """Points that a person gave or took, on top of what the checks decided."""

    exercise: str = ""
    criterion: str = ""
    """Empty: for the exercise, or for the submission, as a whole."""
    points: float
    why: str
    author: str = ""
    bonus: bool = False
    """Whether they are bonus points, which are in no total."""


class StudentResult(Model):
    """One student, the report, and what became of the score on its way to a grade."""

    student: Student
    standing: Standing
    report: ScoreReport | None = None
    """Empty only where nothing could be recorded, such as for an ``errored`` student whose runner died."""
    submitted_at: AwareDatetime | None = None
    late_points: float = Field(default=0.0, ge=0)
    """Points that lateness takes off."""
    lateness: Lateness = Lateness()
    """How late, and what that would cost of other points than these."""
    late_why: str = ""
    """How late, and by which rule; empty when nothing was late."""
    adjustments: tuple[PointsChange, ...] = ()
    final: float | None = None
    """The grade in points, after lateness and adjustments; None for ``errored``."""
    max_score: float = Field(default=0.0, ge=0)
    bonus: float = Field(default=0.0, ge=0)
    """Points earned on top, after adjustments; they are in no other number here."""
    max_bonus: float = Field(default=0.0, ge=0)
    in_roster: bool = True
    """False for somebody who handed something in and is not on the roster, if there is one."""
    problem: str = ""
    """What the grader failed on, in one line, if it did."""

    @property
    def raw(self) -> float | None:
        """The score that the checks decided, before lateness and adjustments; None without a grade."""
        if self.standing is Standing.ERRORED:
            return None
        return self.report.score if self.report else 0.0

    @property
    def adjusted(self) -> float:
        """All adjustments together, but for those of bonus points."""
        return sum(change.points for change in self.adjustments if not change.bonus)

    @property
    def grade(self) -> float | None:
        """The points that may leave the grader: never those of an incomplete report."""
        if self.standing is Standing.ERRORED or (self.report is not None and not self.report.complete):
            return None
        return self.final
