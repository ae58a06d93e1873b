"""Collect who handed in what, in the form in which every layout finds it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import NamedTuple

from grader.intake.trees import ClassTree
from grader.model.classroom import Student


class Piece(NamedTuple):
    """A file or folder that a student handed in."""

    source: str
    """Path from the class's root."""
    name: str = ""
    """What the student called the file; for a folder, where its content goes."""


@dataclass
class Try:
    """One time that a student handed something in."""

    pieces: list[Piece] = field(default_factory=list)
    submitted_at: datetime | None = None
    marked_late: bool = False
    label: str = ""


@dataclass
class Person:
    """Somebody who handed something in."""

    student: Student
    tries: dict[str, Try] = field(default_factory=dict)
    """By a key that sorts in the order in which they were handed in."""
    notes: list[str] = field(default_factory=list)


@dataclass
class Gathering:
    """What was found in a class's folder."""

    people: dict[str, Person] = field(default_factory=dict)
    """By the id that the layout gives."""
    unmatched: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def person(self, student: Student) -> Person:
        """Return the person of this id, new if it is the first time."""
        return self.people.setdefault(student.id, Person(student))

    def add(self, student: Student, key: str, *pieces: Piece) -> Try:
        """Add files or folders to one attempt of a student, and return the attempt."""
        attempt = self.person(student).tries.setdefault(key, Try())
        attempt.pieces += pieces
        return attempt


def most(yes: int, of: int) -> bool:
    """
    Whether so many of them are enough to recognise a layout.

    One name is not: where students choose names, one of them could make a platform's of the whole class.
    """
    return yes > 0 and 2 * yes >= of


def shared_beginnings(names: Sequence[str], last: str) -> list[str]:
    """Return what all names begin with, cut behind each ``last``, shortest first; nothing for a single name."""
    if len(set(names)) < 2:
        return []
    low, high = min(names), max(names)
    same = next((at for at, letter in enumerate(low) if letter != high[at]), len(low))
    return [low[: at + 1] for at in range(same) if low[at] == last]


@dataclass(frozen=True)
class Place:
    """Where to look, and what is known beforehand."""

    tree: ClassTree
    folder: str = ""
    """The folder of the tree that holds the class."""
    assignment: str = ""
    """Which assignment to take where a layout holds several."""
    zone: tzinfo | None = None
    """The time zone of times that name none."""
    exercise_ids: Sequence[str] = ()

    @property
    def name(self) -> str:
        """What the class's folder is called."""
        return self.folder.rpartition("/")[2] or self.tree.name

    def inside(self, name: str) -> str:
        """Return the path of something in the class's folder."""
        return f"{self.folder}/{name}" if self.folder else name
