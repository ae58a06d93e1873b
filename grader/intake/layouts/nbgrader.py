"""nbgrader: ``submitted/STUDENT/ASSIGNMENT``, with the time in ``timestamp.txt``."""

from collections import Counter
from collections.abc import Iterable

from grader.intake.layouts.gathering import Gathering, Piece, Place, most
from grader.intake.layouts.times import parse_time
from grader.intake.limits import MAX_NOTE_BYTES
from grader.intake.refusal import Refused
from grader.intake.trees import Entry, Kind
from grader.model.classroom import Student
from grader.model.errors import SubmissionError

_TIMESTAMP = "timestamp.txt"
_LOOKED_AT = 20


def recognise(place: Place) -> bool:
    """Whether there is a folder ``submitted``, or times lie where nbgrader puts them for most of the first students."""
    folders = _folders(place, place.folder)
    if any(folder.name == "submitted" for folder in folders):
        return True
    looked_at = folders[:_LOOKED_AT]
    timed = sum(
        any(place.tree.has(f"{assignment.path}/{_TIMESTAMP}") for assignment in _folders(place, student.path))
        for student in looked_at
    )
    return most(timed, len(looked_at))


def gather(place: Place) -> Gathering:
    """Take one assignment of each student."""
    gathering = Gathering()
    root = next((folder.path for folder in _folders(place, place.folder) if folder.name == "submitted"), place.folder)
    if root == place.folder:
        gathering.unmatched += [entry.path for entry in place.tree.entries(root) if entry.kind is Kind.FILE]
    by_student = {student: place.tree.entries(student.path) for student in _students(place, root)}
    names = Counter(one.name for inside in by_student.values() for one in inside if one.kind is not Kind.FILE)
    if place.assignment and names and place.assignment not in names:
        raise SubmissionError(
            f"{root or 'the folder'}: nobody has a folder {place.assignment!r}; there are {_listed(names)}"
        )
    assignment = place.assignment or _only_assignment(by_student.values(), root)
    for student, inside in by_student.items():
        chosen = next((one for one in inside if one.name == assignment and one.kind is not Kind.FILE), None)
        if student.kind is Kind.LINK:
            chosen = student
        if chosen is None:
            gathering.person(Student(id=student.name)).notes.append(f"handed in nothing for {assignment}")
            continue
        attempt = gathering.add(Student(id=student.name), "", Piece(chosen.path))
        try:
            stamp = place.tree.read(f"{chosen.path}/{_TIMESTAMP}", MAX_NOTE_BYTES).decode("utf-8", "replace")
        except Refused:
            continue
        attempt.submitted_at = parse_time(stamp, place.zone)
        if attempt.submitted_at is None:
            found = ascii(stamp.strip()[:40])
            gathering.person(Student(id=student.name)).notes.append(
                f"{_TIMESTAMP}: expected a time such as 2026-11-20 10:00:00 UTC, found {found}"
            )
    return gathering


def _folders(place: Place, folder: str) -> list[Entry]:
    return [entry for entry in place.tree.entries(folder) if entry.kind is Kind.FOLDER]


def _students(place: Place, root: str) -> list[Entry]:
    return [entry for entry in place.tree.entries(root) if entry.kind is not Kind.FILE]


def _only_assignment(inside: Iterable[list[Entry]], root: str) -> str:
    counts = Counter(entry.name for entries in inside for entry in entries if entry.kind is Kind.FOLDER)
    if len(counts) > 1:
        raise SubmissionError(
            f"{root or 'the folder'}: found several assignments: {_listed(counts)}; say which one to grade"
        )
    return next(iter(counts), "")


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in counts.most_common(8))
