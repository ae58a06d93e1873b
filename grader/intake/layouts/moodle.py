"""Moodle: a folder, or flat files, for each participant and kind of submission."""

import re

from grader.intake.layouts.gathering import Gathering, Piece, Place, most
from grader.intake.trees import Kind
from grader.model.classroom import Student

# ``Ann Doe_12345_assignsubmission_file_/heads.py``, without the last ``_`` in newer versions; flat if the site says so.
_NAME = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<type>[a-z]+)(?:_(?P<file>.*))?")


def recognise(place: Place) -> bool:
    """Whether most is named as Moodle names it."""
    entries = place.tree.entries(place.folder)
    return most(sum(bool(_NAME.fullmatch(entry.name)) for entry in entries), len(entries))


def gather(place: Place) -> Gathering:
    """Sort files and folders by participant; text typed into the site is part of the hand-in, though not code."""
    gathering = Gathering()
    for entry in place.tree.entries(place.folder):
        found = _NAME.fullmatch(entry.name)
        if not found:
            gathering.unmatched.append(entry.path)
            continue
        # With anonymous grading everybody is called Participant.
        name = "" if found["name"].lower() == "participant" else found["name"]
        file = found["file"] or ("" if entry.kind is Kind.FOLDER else entry.name)
        if found["type"] != "file":
            file = f"{found['type']}/{file}".rstrip("/")
        gathering.add(Student(id=found["id"], name=name), "", Piece(entry.path, file))
    return gathering
