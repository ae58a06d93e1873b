"""Find out who is in a class and what each handed in, without reading any of it."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from grader.intake.duplicates import is_named_after
from grader.intake.layouts import (
    blackboard,
    canvas,
    folders,
    gradescope,
    ilias,
    moodle,
    nbgrader,
    repositories,
)
from grader.intake.layouts.gathering import Gathering, Person, Place, Try
from grader.intake.membership import Role, role_of
from grader.intake.roster import RosterIndex, fold_id, read_roster, refuse_collisions
from grader.intake.trees import ClassTree, Entry, Kind, open_tree
from grader.model.classroom import Attempt, Classroom, HandIn, Student
from grader.model.errors import SubmissionError

Rule = Literal["newest", "oldest"]
"""Which of several attempts counts."""


class _Layout(NamedTuple):
    recognise: Callable[[Place], bool]
    gather: Callable[[Place], Gathering]
    own_ids: bool = False
    """Whether people's ids are numbers of the platform's own."""


# In the order in which they are tried: names that nobody makes up by chance come first.
_LAYOUTS = {
    "gradescope": _Layout(gradescope.recognise, gradescope.gather),
    "moodle": _Layout(moodle.recognise, moodle.gather, own_ids=True),
    "blackboard": _Layout(blackboard.recognise, blackboard.gather),
    "canvas": _Layout(canvas.recognise, canvas.gather, own_ids=True),
    "nbgrader": _Layout(nbgrader.recognise, nbgrader.gather),
    "ilias": _Layout(ilias.recognise, ilias.gather),
    "repositories": _Layout(repositories.recognise, repositories.gather),
    "folders": _Layout(folders.recognise, folders.gather),
}
LAYOUTS = tuple(_LAYOUTS)
"""The names by which a layout can be forced."""

_MAX_WRAPPINGS = 4


def read_classroom(
    source: Path,
    *,
    layout: str = "auto",
    roster: Path | None = None,
    rule: Rule = "newest",
    assignment: str = "",
    zone: tzinfo | None = None,
    exercise_ids: Sequence[str] = (),
) -> Classroom:
    """
    Return who handed in what.

    Args:
        source: A folder, or a zip, of what a class handed in.
        layout: One of ``LAYOUTS``, or ``auto``.
        roster: A CSV file of the class (`read_roster`): who is on it and handed in nothing is there without attempts.
        rule: Which of several attempts counts.
        assignment: Which assignment to take, where there are several beside each other, as in nbgrader.
        zone: The time zone of times that name none; UTC if not given.
        exercise_ids: The course's exercises, to tell one person's work from a class's.

    Raises:
        SubmissionError: If the class as a whole cannot be read: nothing is there, the roster has a mistake, or two
            ids are one to some systems.
    """
    if layout not in (*LAYOUTS, "auto"):
        raise SubmissionError(f"there is no layout {layout!r}; expected auto or one of {', '.join(LAYOUTS)}")
    if rule not in get_args(Rule):
        raise SubmissionError(f"there is no rule {rule!r}; expected {' or '.join(get_args(Rule))}")
    students = read_roster(roster) if roster else None
    with closing(open_tree(source)) as tree:
        place, name = _find_class(tree, layout, Place(tree, "", assignment, zone, exercise_ids), source)
        gathering = _LAYOUTS[name].gather(place)
        gathering.unmatched += _beside(tree, place.folder)
        refused = [f"{remark.path}: {remark.text}" for remark in dict.fromkeys(tree.refused)]
    _leave_out_roster(gathering, source, roster)
    if not gathering.people:
        raise SubmissionError(f"{source}: no hand-in was found in the layout {name}; try another with --layout")
    refuse_collisions(sorted(gathering.people), str(source))
    hand_ins = [_hand_in(person, rule) for _, person in sorted(gathering.people.items())]
    notes = list(dict.fromkeys(gathering.notes))
    if students is not None:
        hand_ins = _match(hand_ins, students, own_ids=_LAYOUTS[name].own_ids)
        _refuse_other_names(hand_ins, source)
        refuse_collisions([hand_in.student.id for hand_in in hand_ins], str(source))
    elif len(hand_ins) == 1:
        notes.append("only one student was found; if this is one person's work, use grade check")
    return Classroom(
        layout=name,
        hand_ins=tuple(sorted(hand_ins, key=lambda hand_in: hand_in.student.id)),
        unmatched=(*sorted(dict.fromkeys(gathering.unmatched)), *refused),
        notes=tuple(notes),
    )


def _find_class(tree: ClassTree, layout: str, place: Place, source: Path) -> tuple[Place, str]:
    """Return the folder that holds the class, below folders that hold nothing else, and its layout."""
    names = [layout] if layout != "auto" else [name for name in LAYOUTS if name != "folders"]
    for _ in range(_MAX_WRAPPINGS):
        for name in names:
            if _LAYOUTS[name].recognise(place):
                return place, name
        entries = tree.entries(place.folder)
        # A roster or a page may lie beside the folder with the class.
        work = [entry for entry in entries if folders.owner_of(entry)]
        alone = len(work) == 1 and work[0].kind is Kind.FOLDER
        if not alone or layout == "folders" or (layout == "auto" and not _wraps(place, work[0])):
            break
        place = replace(place, folder=work[0].path)
    if layout == "auto" and _LAYOUTS["folders"].recognise(place):
        return place, "folders"
    if layout == "auto":
        raise SubmissionError(
            f"{source}: expected what a class handed in, found no folder, .zip, .ipynb or .py of any student"
        )
    return place, layout


def _beside(tree: ClassTree, folder: str) -> list[str]:
    """Return what lies beside the class's folder and the folders around it: it belongs to nobody."""
    beside: list[str] = []
    while folder:
        above = folder.rpartition("/")[0]
        beside += [entry.path for entry in tree.entries(above) if entry.path != folder]
        folder = above
    return beside


def _wraps(place: Place, folder: Entry) -> bool:
    """Whether a folder that is alone is one around the class, and not the only student's."""
    inside = place.tree.entries(folder.path)
    code = [entry.name for entry in inside if entry.kind is Kind.FILE and role_of(entry.name) is Role.SOURCE]
    if not code:
        return any(entry.kind is Kind.FOLDER or role_of(entry.name) is Role.ARCHIVE for entry in inside)
    below = replace(place, folder=folder.path)
    if any(_LAYOUTS[name].recognise(below) for name in LAYOUTS if name != "folders"):
        return True
    # Files of a class are called after people, those of a student after exercises.
    named = any(is_named_after(name, exercise) for name in code for exercise in place.exercise_ids)
    return bool(place.exercise_ids) and not named and len(inside) > 1


def _leave_out_roster(gathering: Gathering, source: Path, roster: Path | None) -> None:
    """The roster may lie beside the work, and belongs to nobody there."""
    if roster is not None:
        gathering.unmatched = [path for path in gathering.unmatched if not _is_same(source / path, roster)]


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return False


def _hand_in(person: Person, rule: Rule) -> HandIn:
    tries = [attempt for _, attempt in sorted(person.tries.items())]
    chosen = None if not tries else len(tries) - 1 if rule == "newest" else 0
    notes = list(dict.fromkeys(person.notes))
    if chosen is not None and len(tries) > 1:
        notes.append(f"handed in {len(tries)} times; the {rule} attempt counts")
    return HandIn(student=person.student, attempts=tuple(map(_attempt, tries)), chosen=chosen, notes=tuple(notes))


def _attempt(attempt: Try) -> Attempt:
    pieces = sorted(set(attempt.pieces))
    return Attempt(
        sources=tuple(piece.source for piece in pieces),
        names=tuple(piece.name for piece in pieces),
        label=attempt.label,
        submitted_at=attempt.submitted_at,
        marked_late=attempt.marked_late,
    )


def _match(hand_ins: Sequence[HandIn], students: Sequence[Student], *, own_ids: bool) -> list[HandIn]:
    """Put the roster's entry in place of what the download calls somebody; keep whom it does not know."""
    index = RosterIndex(students)
    own_ids = own_ids and not index.numbers_are_shared([hand_in.student for hand_in in hand_ins])
    claims: dict[str, list[HandIn]] = {}
    unknown: list[HandIn] = []
    for hand_in in hand_ins:
        student = index.find(hand_in.student, own_ids=own_ids)
        if student is None:
            unknown.append(hand_in)
        else:
            claims.setdefault(student.id, []).append(hand_in)
    matched: list[HandIn] = []
    for student in students:
        claiming = claims.get(student.id, [])
        # Who goes by the very id is meant; else two who could be the same are for a person to sort out.
        exact = [one for one in claiming if one.student.id == student.id]
        chosen = exact or (claiming if len(claiming) == 1 else [])
        matched += [_as_on_roster(one, student) for one in chosen] or [HandIn(student=student)]
        for other in claiming:
            if other not in chosen:
                note = f"could be {student.id} of the roster; rename it to say so"
                unknown.append(other.model_copy(update={"notes": (*other.notes, note)}))
    return matched + [
        one.model_copy(update={"in_roster": False, "notes": (*one.notes, "not on the roster")}) for one in unknown
    ]


def _refuse_other_names(hand_ins: Sequence[HandIn], source: Path) -> None:
    """Say what speaks against it where a platform's number is also the id of somebody else on the roster."""
    names = {fold_id(one.student.id): one.student.name for one in hand_ins if one.in_roster}
    for one in hand_ins:
        name = names.get(fold_id(one.student.id))
        if not one.in_roster and name and one.student.name:
            raise SubmissionError(
                f"{source}: {one.student.id} is called {one.student.name!r} there and {name!r} on the roster. If that "
                "is one person, write the name on the roster as it is in the download; if not, give the person on the "
                "roster another id"
            )


def _as_on_roster(hand_in: HandIn, student: Student) -> HandIn:
    theirs = hand_in.student
    known = {"name": student.name or theirs.name, "email": student.email or theirs.email}
    if theirs.id != student.id:
        known["platform_id"] = theirs.id
    return hand_in.model_copy(update={"student": student.model_copy(update=known)})
