"""One folder per repository: ``CLASSROOM-ASSIGNMENT-USER``, as Classroom 50 and ``git clone`` leave them."""

import csv
import io
import re
from typing import NamedTuple

from grader.intake.layouts.gathering import Gathering, Piece, Place, most, shared_beginnings
from grader.intake.layouts.times import parse_time
from grader.intake.limits import MAX_ROSTER_BYTES
from grader.intake.refusal import Refused
from grader.intake.trees import Entry, Kind
from grader.model.classroom import Student

_DOWNLOAD = re.compile(r"(?P<prefix>.+)_submissions_\d{4}_\d\d_\d\d_T_\d\d_\d\d_\d\d")
_SCORES = "scores.csv"
_LOOKED_AT = 20


class _Row(NamedTuple):
    """What ``scores.csv`` says about somebody."""

    name: str
    email: str
    section: str
    time: str
    late: bool


def recognise(place: Place) -> bool:
    """Whether most folders are repositories, or a download of Classroom 50."""
    folders = _folders(place)
    if folders and (_DOWNLOAD.fullmatch(place.name) or place.tree.has(place.inside(_SCORES))):
        return True
    looked_at = folders[:_LOOKED_AT]
    return most(sum(place.tree.has(f"{folder.path}/.git") for folder in looked_at), len(looked_at))


def gather(place: Place) -> Gathering:
    """Take each folder for a student, whose name is what the folder's own has behind what all begin with."""
    gathering = Gathering()
    folders = _folders(place)
    rows = _read_scores(place)
    prefix = _prefix(place, [folder.name for folder in folders], rows)
    if prefix:
        gathering.notes.append(f"{prefix!r}, which the folders' names begin with, was left off the students' ids")
    for entry in place.tree.entries(place.folder):
        if entry not in folders:
            if entry.name != _SCORES:
                gathering.unmatched.append(entry.path)
            continue
        user = entry.name.removeprefix(prefix) or entry.name
        row = rows.get(user.lower(), _Row("", "", "", "", late=False))
        student = Student(id=user, name=row.name, email=row.email, section=row.section)
        attempt = gathering.add(student, "", Piece(entry.path))
        attempt.submitted_at, attempt.marked_late = parse_time(row.time, place.zone), row.late
    return gathering


def _folders(place: Place) -> list[Entry]:
    return [entry for entry in place.tree.entries(place.folder) if entry.kind is not Kind.FILE]


def _prefix(place: Place, names: list[str], rows: dict[str, _Row]) -> str:
    download = _DOWNLOAD.fullmatch(place.name)
    if download and all(name.startswith(f"{download['prefix']}-") for name in names):
        return f"{download['prefix']}-"
    shared = shared_beginnings(names, "-")
    # Users may begin alike as well, so where the users are known, the prefix is what leaves most of them.
    if rows and shared:
        return max(shared, key=lambda prefix: _known(names, prefix, rows))
    return shared[-1] if shared else ""


def _known(names: list[str], prefix: str, rows: dict[str, _Row]) -> int:
    return sum(name.removeprefix(prefix).lower() in rows for name in names)


def _read_scores(place: Place) -> dict[str, _Row]:
    """Return the newest row of each user; a table that is not as the platform writes it is passed over."""
    try:
        text = place.tree.read(place.inside(_SCORES), MAX_ROSTER_BYTES).decode("utf-8-sig", "replace")
        table = [
            {re.sub(r"[ -]", "_", (key or "").lower()): value or "" for key, value in row.items() if key}
            for row in csv.DictReader(io.StringIO(text))
        ]
    except (Refused, csv.Error):
        return {}
    rows: dict[str, _Row] = {}
    for row in table:
        user = row.get("username", "").lstrip("'").lower()
        if user and row.get("datetime", "") >= (rows[user].time if user in rows else ""):
            name = f"{row.get('first_name', '')} {row.get('last_name', '')}".strip()
            late = row.get("late", "").lower() == "true"
            rows[user] = _Row(name, row.get("email", ""), row.get("section", ""), row.get("datetime", ""), late)
    return rows
