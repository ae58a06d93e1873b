"""Blackboard: flat files named after assignment, user and time, with a receipt for each attempt."""

import re
from datetime import datetime

from grader.intake.layouts.gathering import Gathering, Piece, Place, most, shared_beginnings
from grader.intake.layouts.times import aware
from grader.intake.limits import MAX_NOTE_BYTES
from grader.intake.refusal import Refused
from grader.intake.trees import Entry, Kind
from grader.model.classroom import Student

# ``Attention_adoe_attempt_2026-11-20-10-00-00_heads.py``; the receipt ends at the time; other languages, other word.
_NAME = re.compile(r"(?P<head>.+)_[^\W\d_]+_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)")
_RECEIPT_NAME = re.compile(r"[^:\n]*:\s*(?P<name>[^\n]*?)\s*\((?P<user>[^()\n]+)\)\s*(?:\n|$)")


def recognise(place: Place) -> bool:
    """Whether most files are named as Blackboard names them."""
    entries = place.tree.entries(place.folder)
    return most(sum(bool(_NAME.fullmatch(entry.name)) for entry in entries), len(entries))


def gather(place: Place) -> Gathering:
    """Sort the files by user and time."""
    gathering = Gathering()
    matched: list[tuple[Entry, re.Match[str]]] = []
    for entry in place.tree.entries(place.folder):
        found = _NAME.fullmatch(entry.name)
        if found and entry.kind is not Kind.FOLDER:
            matched.append((entry, found))
        else:
            gathering.unmatched.append(entry.path)
    receipts = {
        found["head"]: receipt
        for entry, found in matched
        if not found["file"] and (receipt := _read_receipt(place, entry.path, found["head"]))
    }
    prefix = _assignment_prefix([found["head"] for _, found in matched], receipts)
    with_files = {(found["head"], found["time"]) for _, found in matched if found["file"]}
    for entry, found in matched:
        if not found["file"] and (found["head"], found["time"]) in with_files:
            continue
        name, user = receipts.get(found["head"], ("", found["head"].removeprefix(prefix)))
        piece = Piece(entry.path, found["file"] or "receipt.txt")
        attempt = gathering.add(Student(id=user, name=name), found["time"], piece)
        attempt.label = found["time"]
        try:
            attempt.submitted_at = aware(datetime.strptime(found["time"], "%Y-%m-%d-%H-%M-%S"), place.zone)
        except ValueError:
            gathering.notes.append(f"{entry.path}: its name holds no valid time")
    if place.zone is None and matched:
        gathering.notes.append("the times in the files' names have no time zone and were taken for UTC")
    return gathering


def _read_receipt(place: Place, path: str, head: str) -> tuple[str, str] | None:
    """Return the person's name and user name, if the receipt's first line fits the file's name."""
    try:
        text = place.tree.read(path, MAX_NOTE_BYTES).decode("utf-8", "replace")
    except Refused:
        return None
    found = _RECEIPT_NAME.match(text.removeprefix("\ufeff").lstrip())
    return (found["name"], found["user"]) if found and head.endswith(f"_{found['user']}") else None


def _assignment_prefix(heads: list[str], receipts: dict[str, tuple[str, str]]) -> str:
    """Return what all names begin with; a user name may hold ``_`` as well, so a receipt knows better."""
    for head, (_, user) in receipts.items():
        prefix = head.removesuffix(user)
        if all(other.startswith(prefix) and other != prefix for other in heads):
            return prefix
    shared = shared_beginnings(heads, "_")
    return shared[-1] if shared else heads[0][: heads[0].rfind("_") + 1]
