"""Change a criterion's points by hand, with a reason and an author."""

from collections.abc import Iterable

from pydantic import AwareDatetime, Field

from grader.model.base import Model


class Adjustment(Model):
    """
    A person's decision what a criterion is worth for one student.

    It sets the points rather than adding some, so that grading again, which may find the same in the student's
    favour, cannot pay twice.
    """

    student: str
    """The student's id."""
    exercise: str
    criterion: str
    points: float | None = Field(default=None, ge=0)
    """What the criterion gives; None takes an earlier adjustment back."""
    why: str = Field(min_length=1)
    author: str = ""
    at: AwareDatetime

    @property
    def place(self) -> tuple[str, str]:
        """Exercise and criterion."""
        return self.exercise, self.criterion


def adjustments_in_force(history: Iterable[Adjustment]) -> tuple[Adjustment, ...]:
    """Return what counts of one student's adjustments, given oldest first: the last one for each criterion."""
    last = {adjustment.place: adjustment for adjustment in history}
    return tuple(adjustment for adjustment in last.values() if adjustment.points is not None)
