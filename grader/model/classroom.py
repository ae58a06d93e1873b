"""A class: who is in it and what each handed in, before anything is read or run."""

from datetime import datetime

from pydantic import AwareDatetime, Field

from grader.model.base import Model


class Student(Model):
    """One person of the class."""

    id: str = Field(min_length=1)
    """What the gradebook knows the person by; text, so that leading zeros stay."""
    platform_id: str = ""
    """What the learning platform's download calls the person, if that differs: what goes back has to name it."""
    name: str = ""
    email: str = ""
    section: str = ""
    extension: datetime | None = None
    """A deadline of one's own; without a time zone it is in the course's."""


class Attempt(Model):
    """One time that a student handed something in."""

    sources: tuple[str, ...] = Field(min_length=1)
    """Files and folders, as paths from the class's root (its folder or its archive) with forward slashes."""
    names: tuple[str, ...] = ()
    """What the student called each source, without what the platform put around it; empty for a folder's content."""
    label: str = ""
    """How the learning platform tells attempts apart, such as ``attempt 2``."""
    submitted_at: AwareDatetime | None = None
    """When it was handed in, if the download says so."""
    marked_late: bool = False
    """Whether the learning platform called it late."""


class HandIn(Model):
    """All that one student handed in."""

    student: Student
    attempts: tuple[Attempt, ...] = ()
    """Oldest first; empty if nothing was handed in."""
    chosen: int | None = None
    """Index of the attempt that counts by the course's rule; None if there is none."""
    in_roster: bool = True
    """False for somebody who handed something in and is not on the roster, if there is one."""
    notes: tuple[str, ...] = ()

    @property
    def counted(self) -> Attempt | None:
        """The attempt that counts; None if nothing was handed in."""
        return None if self.chosen is None else self.attempts[self.chosen]


class Classroom(Model):
    """What lies in a class's folder or archive: nobody dropped, nothing invented."""

    layout: str
    """How it was recognised: ``canvas``, ``moodle``, ``gradescope``, ``nbgrader``, ``folders`` …"""
    hand_ins: tuple[HandIn, ...]
    """Ordered by student id."""
    unmatched: tuple[str, ...] = ()
    """Paths that belong to nobody, with the reason where there is one to give."""
    notes: tuple[str, ...] = ()
