"""No platform: a folder, a zip, a notebook or a Python file for each student."""

import re
import unicodedata
from pathlib import PurePosixPath

from grader.intake.layouts.gathering import Gathering, Piece, Place
from grader.intake.membership import Role, role_of
from grader.intake.trees import Entry, Kind
from grader.model.classroom import Student
from grader.model.errors import SubmissionError

_AGAIN = re.compile(r"(?P<first>.+?) ?\((?P<number>\d{1,3})\)")
# What people pack work in although it cannot be opened: their report says so, rather than that nothing came.
_OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".gz", ".xz")


def recognise(place: Place) -> bool:
    """Whether there is anything that could be a student's."""
    return any(owner_of(entry) for entry in place.tree.entries(place.folder))


def gather(place: Place) -> Gathering:
    """
    Take each folder and each file that can be graded for a student, whose id is its name.

    ``ann (1).zip`` is a later attempt of the one who handed in ``ann.zip``: browsers number downloads like this.
    """
    gathering = Gathering()
    owners = {entry: owner for entry in place.tree.entries(place.folder) if (owner := owner_of(entry))}
    gathering.unmatched += [entry.path for entry in place.tree.entries(place.folder) if entry not in owners]
    _refuse_one_submission(place, owners)
    claimed: dict[tuple[str, str], Entry] = {}
    for entry, owner in owners.items():
        again = _AGAIN.fullmatch(owner)
        number = 0
        if again and again["first"] in owners.values():
            owner, number = again["first"], int(again["number"])
        key = f"{number:03}"
        other = claimed.setdefault((owner, key), entry)
        if other is not entry:
            raise SubmissionError(
                f"{other.path} and {entry.path} are both the work of {owner}; expected one folder or file for each "
                "student, so rename one or put both into one folder"
            )
        attempt = gathering.add(Student(id=owner), key, Piece(entry.path, _name(entry)))
        attempt.label = f"({number})" if number else ""
    return gathering


def owner_of(entry: Entry) -> str:
    """Return the id of the student whose work this is by its name, or nothing if nobody can have meant it as work."""
    name = unicodedata.normalize("NFC", entry.name)
    if entry.kind is Kind.FOLDER:
        return name.strip()
    lowered = name.lower()
    other = next((ending for ending in _OTHER_ARCHIVES if lowered.endswith(ending)), "")
    if other:
        return name[: -len(other)].strip()
    role = role_of(name)
    if role in (Role.SOURCE, Role.ARCHIVE):
        return PurePosixPath(name).stem.strip()
    if role is Role.MISNAMED:
        return PurePosixPath(PurePosixPath(name).stem).stem.strip()
    return name.strip() if entry.kind is Kind.LINK and "." not in name else ""


def _name(entry: Entry) -> str:
    return "" if entry.kind is Kind.FOLDER else unicodedata.normalize("NFC", entry.name)


def _refuse_one_submission(place: Place, owners: dict[Entry, str]) -> None:
    """One person's folder looks like a class whose students are called after the exercises."""
    named = [entry.name for entry, owner in owners.items() if owner.lower() in place.exercise_ids]
    if named and 2 * len(named) >= len(owners) and not any(entry.kind is Kind.FOLDER for entry in owners):
        raise SubmissionError(
            f"{place.name}: expected a class, found files named after exercises ({', '.join(named[:3])}), as in one "
            "person's work; use grade check for that, or name the folder above it"
        )
