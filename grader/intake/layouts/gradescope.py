"""Gradescope: a folder for each submission, and a file that says whose it is."""

import importlib
from datetime import datetime
from typing import Any

from grader.intake.layouts.gathering import Gathering, Piece, Place
from grader.intake.layouts.times import aware
from grader.intake.limits import MAX_METADATA_BYTES
from grader.intake.refusal import Refused
from grader.intake.trees import Kind
from grader.model.classroom import Student
from grader.model.errors import SubmissionError

_METADATA = "submission_metadata.yml"


def recognise(place: Place) -> bool:
    """Whether the file that says whose submissions these are is there."""
    return any(entry.name == _METADATA for entry in place.tree.entries(place.folder))


def gather(place: Place) -> Gathering:
    """Give each submission to all its submitters; what the file does not name belongs to nobody."""
    gathering = Gathering()
    metadata = _read_metadata(place)
    for entry in place.tree.entries(place.folder):
        about = metadata.get(entry.name)
        if not isinstance(about, dict):
            if entry.name != _METADATA:
                gathering.unmatched.append(entry.path)
            continue
        students = [student for one in _list(about.get(":submitters")) if (student := _student(one))]
        if not students:
            gathering.unmatched.append(entry.path)
        submitted_at = _time(about.get(":created_at"), place)
        earlier = len(_list(about.get(":history")))
        piece = Piece(entry.path, "" if entry.kind is Kind.FOLDER else entry.name)
        for student in students:
            key = f"{submitted_at.timestamp() if submitted_at else 0:020.6f} {entry.name}"
            attempt = gathering.add(student, key, piece)
            attempt.submitted_at, attempt.label = submitted_at, entry.name
            notes = gathering.person(student).notes
            if len(students) > 1:
                notes.append(f"{entry.name} was handed in by {', '.join(one.name or one.id for one in students)}")
            if earlier:
                notes.append(f"{earlier} earlier {'attempt is' if earlier == 1 else 'attempts are'} not in the export")
    return gathering


def _read_metadata(place: Place) -> dict[str, Any]:
    path = place.inside(_METADATA)
    yaml: Any = importlib.import_module("yaml")
    # The C parser takes a tenth of the time; a class of thousands needs it.
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader: Any = type("_MetadataLoader", (base,), {})
    # Ruby writes some times as objects of its own: only their content is wanted.
    loader.add_multi_constructor("!", _construct_plainly)
    try:
        metadata = yaml.load(place.tree.read(path, MAX_METADATA_BYTES), Loader=loader)
    except Refused as refused:
        raise SubmissionError(f"{path}: {refused}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        where = getattr(error, "problem_mark", None)
        line = f" in line {where.line + 1}" if where else ""
        raise SubmissionError(
            f"{path}: expected YAML as Gradescope writes it, found an error{line}; export the submissions again"
        ) from None
    if not isinstance(metadata, dict):
        raise SubmissionError(f"{path}: expected submissions by folder name; export the submissions again")
    return {str(name): about for name, about in metadata.items()}


def _construct_plainly(loader: Any, _: str, node: Any) -> Any:
    kind = type(node).__name__
    if kind == "MappingNode":
        return loader.construct_mapping(node, deep=True)
    return loader.construct_sequence(node, deep=True) if kind == "SequenceNode" else loader.construct_scalar(node)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _student(submitter: Any) -> Student | None:
    if not isinstance(submitter, dict):
        return None
    sid, email, name = (str(submitter.get(key) or "").strip() for key in (":sid", ":email", ":name"))
    return Student(id=sid or email or name, name=name, email=email) if sid or email or name else None


def _time(value: Any, place: Place) -> datetime | None:
    if isinstance(value, dict):
        value = value.get("utc") or value.get("time")
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    return aware(value, place.zone) if isinstance(value, datetime) else None
