"""Decide which file of a submission each exercise is taken from."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.intake.definitions import Definitions, Given, add_star_imports, find_definitions
from grader.model.submission import Entry, FileKind, SourceFile, Submission


@dataclass(frozen=True)
class _Survey:
    """What a whole submission gives."""

    submission: Submission
    by_path: dict[str, Definitions]
    promised: frozenset[str]
    """Every promised name of every exercise."""

    def count(self, path: str, names: Sequence[str], least: Given) -> int:
        """Return how many of the names a file gives in this way or better."""
        return sum(self.by_path[path].names.get(name, 0) >= least for name in names)

    def written_beside(self, path: str, name: str) -> list[str]:
        """Return the other files that define a name."""
        return [
            other
            for other, definitions in self.by_path.items()
            if other != path and definitions.names.get(name) is Given.WRITTEN
        ]


def locate_entries(submission: Submission, promises: Mapping[str, Sequence[str]]) -> dict[str, Entry]:
    """
    Choose the file that each exercise is graded from.

    The exercise's own file wins: ``heads.py`` or ``heads.ipynb``, nearest the top, and the module of two beside each
    other. Another file is used in two cases only:

    - There is no own file: the one that writes most of the promised names, else one that imports them, else one that
      holds their stubs.
    - The own file gives none of the promised names, or only stubs that are not begun, and another file writes some:
      the learner worked there. Importing a name is not writing it.

    A name that the chosen file lacks is missing, even if another file has it: the note says where it is.

    Args:
        submission: What was handed in.
        promises: The names that each exercise promises, by exercise id.
    """
    by_path = {file.path: find_definitions(file) for file in submission.files}
    add_star_imports(by_path)
    promised = frozenset(name for names in promises.values() for name in names)
    survey = _Survey(submission, by_path, promised)
    return {exercise: _locate(survey, exercise, names) for exercise, names in promises.items()}


def _locate(survey: _Survey, exercise: str, names: Sequence[str]) -> Entry:
    own = min(
        (file for file in survey.submission.files if _is_own(file.path, exercise)),
        key=lambda file: (_depth(file.path), file.kind is FileKind.NOTEBOOK, file.path),
        default=None,
    )
    if own is None:
        path = next(filter(None, (_best(survey, exercise, names, least) for least in reversed(Given))), None)
    elif survey.count(own.path, names, Given.IMPORTED) or not _best(survey, exercise, names, Given.WRITTEN):
        path = own.path
    else:
        path = _best(survey, exercise, names, Given.WRITTEN)
    if path is None:
        return Entry(exercise=exercise, path=None, note=_explain_nothing(survey, exercise, names))
    notes = [*_explain_detour(survey, exercise, names, own, path)]
    notes += [note for name in names if (note := _explain_name(survey, path, name))]
    return Entry(exercise=exercise, path=path, note="; ".join(notes))


def _is_own(path: str, exercise: str) -> bool:
    return PurePosixPath(path).name in (f"{exercise}.py", f"{exercise}.ipynb")


def _depth(path: str) -> int:
    return path.count("/")


def _best(survey: _Survey, exercise: str, names: Sequence[str], least: Given) -> str | None:
    """Return the file that gives most of the names, then one named after the exercise, then the nearest the top."""
    ranked = sorted(
        (-survey.count(path, names, least), not _is_own(path, exercise), _depth(path), path) for path in survey.by_path
    )
    return ranked[0][-1] if ranked and ranked[0][0] < 0 else None


def _explain_detour(
    survey: _Survey, exercise: str, names: Sequence[str], own: SourceFile | None, path: str
) -> list[str]:
    """Say why an exercise is not taken from its own file."""
    if own is not None and own.path != path:
        begun = survey.count(own.path, names, Given.STUB)
        why = "is still the stub" if begun else f"defines none of {_enumerate(names)}"
        return [f"{own.path} {why}, so {exercise} was taken from {path}"]
    if own is None:
        return [f"{reason}, so {exercise} was taken from {path}" for reason in _unreadable(survey, exercise)]
    return []


def _explain_name(survey: _Survey, path: str, name: str) -> str:
    """Say what is odd about one promised name in the chosen file."""
    given = survey.by_path[path].names.get(name)
    beside = survey.written_beside(path, name)
    if given is Given.WRITTEN and beside:
        return f"{name} is defined in {path} and in {_enumerate(beside)}; {path} counts"
    if given is Given.STUB and beside:
        return f"{name} is still the stub in {path}, which counts, but is written in {_enumerate(beside)}; move it over"
    if given is None and beside:
        return f"{path} does not define {name}, but {_enumerate(beside)} does; import it in {path}"
    if given is None:
        return f"{path} does not define {name}{_suggest(survey, name)}"
    return ""


def _explain_nothing(survey: _Survey, exercise: str, names: Sequence[str]) -> str:
    unreadable = sorted(survey.submission.unreadable, key=lambda file: not _is_own(file.path, exercise))
    if unreadable and not survey.by_path:  # it may have held everything
        return f"{unreadable[0].path} could not be read: {unreadable[0].reason}"
    reasons = _unreadable(survey, exercise) or [f"there is no {exercise}.py"]
    hints = [hint for name in names if (hint := _suggest(survey, name))]
    return f"{reasons[0]}, and no file defines {_enumerate(names, 'or')}{hints[0] if hints else ''}"


def _unreadable(survey: _Survey, exercise: str) -> list[str]:
    return [
        f"{file.path} could not be read ({file.reason})"
        for file in survey.submission.unreadable
        if _is_own(file.path, exercise)
    ]


def _suggest(survey: _Survey, name: str) -> str:
    """Return a clause that names what was perhaps meant, or nothing."""
    written = {
        other: path
        for path, definitions in reversed(survey.by_path.items())
        for other, given in definitions.names.items()
        if given is Given.WRITTEN and other not in survey.promised
    }
    by_letters = {_letters(other): other for other in written}
    close = by_letters.get(_letters(name)) or next(iter(difflib.get_close_matches(name, written, 1, 0.7)), None)
    if close:
        return f"; did you mean {close} in {written[close]}?"
    for path, definitions in survey.by_path.items():
        if name in definitions.nested:
            return f"; the {name} in {path} is inside {definitions.nested[name]}: move it to the left margin"
    return ""


def _letters(name: str) -> str:
    return name.replace("_", "").casefold()


def _enumerate(words: Sequence[str], last: str = "and") -> str:
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
