"""Which submissions of a class are more alike than the exercise explains. It says what is alike, and never why."""

from typing import Literal

from grader.model.base import Model
from grader.model.classroom import Student
from grader.model.submission import SourceFile


class Passage(Model):
    """A statement that is alike in both submissions, but for names, layout and comments."""

    number: int
    """The same on both sides."""
    file: str
    first_line: int
    last_line: int


class Side(Model):
    """One of two submissions that are alike."""

    student: Student
    files: tuple[SourceFile, ...]
    """Those with passages in them."""
    passages: tuple[Passage, ...]
    tokens: int
    """How much of it the exercise does not explain."""
    share: float
    """How much of that is in the other one, and in few others, 0 to 1."""


class AlikePair(Model):
    """Two submissions with much in common that few others have."""

    tokens: int
    """How much they have in common."""
    left: Side
    right: Side


class AlikeGroup(Model):
    """Submissions that are the same, but for names, layout and order, in all that the exercises do not explain."""

    students: tuple[Student, ...]
    tokens: int
    """How much of each the exercise does not explain."""


class SharedSeed(Model):
    """Files of predictions with one seed. Each learner draws their own, so a file was passed on."""

    students: tuple[Student, ...]
    exercise: str


class LikenessReport(Model):
    """What was compared and found."""

    schema_version: Literal[1] = 1
    compared: int
    """Submissions with code."""
    left_out: tuple[str, ...] = ()
    """One line for each submission that could not be compared, with the reason."""
    common_from: int
    """A passage that more students than this have is taken for what the exercise asks for."""
    pairs: tuple[AlikePair, ...]
    """Most in common first."""
    pairs_left_out: int = 0
    """Further pairs with less in common than those listed."""
    groups: tuple[AlikeGroup, ...] = ()
    """Largest first."""
    shared_seeds: tuple[SharedSeed, ...] = ()
