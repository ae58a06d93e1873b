"""ILIAS: a folder for each person, named after person, login and number, perhaps below the person's team."""

import re

from grader.intake.layouts.gathering import Gathering, Piece, Place
from grader.intake.trees import Entry, Kind
from grader.model.classroom import Student

_PERSON = re.compile(r"(?P<last>[^_]+)_(?P<first>.+)_(?P<login>[^_]+)_(?P<id>\d{2,})")
_TEAM = re.compile(r"Team[ _]?\d+", re.IGNORECASE)
_SUBMISSIONS = frozenset({"abgaben", "submissions"})
_LATE = re.compile(r"(?:Late Submission|Verspaetete Abgabe|Verspätete Abgabe) - (?P<file>.+)", re.IGNORECASE)


def recognise(place: Place) -> bool:
    """Whether all folders, perhaps below one for the submissions, are named after people or teams as ILIAS does."""
    folders = _folders(place, _root(place))
    named = [folder for folder in folders if _PERSON.fullmatch(folder.name) or _TEAM.fullmatch(folder.name)]
    return bool(named) and len(named) == len(folders)


def gather(place: Place) -> Gathering:
    """Sort the folders by login; who is in a team hands in what any of the team has."""
    gathering = Gathering()
    root = _root(place)
    for entry in place.tree.entries(place.folder):
        if root != place.folder and entry.path != root:
            gathering.unmatched.append(entry.path)
    for entry in place.tree.entries(root):
        if entry.kind is Kind.FOLDER and _PERSON.fullmatch(entry.name):
            _add_people(gathering, place, [entry], team="")
        elif entry.kind is Kind.FOLDER and _TEAM.fullmatch(entry.name):
            inside = place.tree.entries(entry.path)
            members = [one for one in inside if one.kind is Kind.FOLDER and _PERSON.fullmatch(one.name)]
            gathering.unmatched += [one.path for one in inside if one not in members]
            _add_people(gathering, place, members, team=entry.name)
        else:
            gathering.unmatched.append(entry.path)
    return gathering


def _root(place: Place) -> str:
    """Return the folder of people: below it may lie what ILIAS adds, such as lists."""
    folders = _folders(place, place.folder)
    return next((folder.path for folder in folders if folder.name.lower() in _SUBMISSIONS), place.folder)


def _folders(place: Place, folder: str) -> list[Entry]:
    return [entry for entry in place.tree.entries(folder) if entry.kind is Kind.FOLDER]


def _add_people(gathering: Gathering, place: Place, folders: list[Entry], team: str) -> None:
    pieces: list[Piece] = []
    late = False
    for folder in folders:
        below = folder.name if len(folders) > 1 else ""
        files = place.tree.entries(folder.path)
        late_names = {entry.path: found["file"] for entry in files if (found := _LATE.fullmatch(entry.name))}
        late |= bool(late_names)
        if not late_names:
            pieces.append(Piece(folder.path, below))
            continue
        for entry in files:
            name = late_names.get(entry.path, entry.name)
            pieces.append(Piece(entry.path, f"{below}/{name}" if below else name))
    for folder in folders:
        person = _PERSON.fullmatch(folder.name)
        if not person:
            continue
        student = Student(id=person["login"], name=f"{person['first']} {person['last']}".replace("_", " "))
        attempt = gathering.add(student, team, *pieces)
        attempt.marked_late, attempt.label = late, team
        if team and len(folders) > 1:
            gathering.person(student).notes.append(f"what {team} handed in, {len(folders)} people together")
