"""Choose among copies of an exercise's file, such as ``heads (1).py``."""

import functools
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from grader.intake.definitions import find_definitions
from grader.intake.listing import Remark
from grader.model.submission import SourceFile

_COPY_WORDS = r"copy|copie|kopie|kopia|copia|cópia|コピー|のコピー|副本|final|new|latest|submission|abgabe"
# What systems, browsers and people put behind a name: " (1)", "-2", "_v2", " - Copy", " copy 3", ".py" again.
_BEHIND = re.compile(
    rf"(?:[ _-]*\(\d{{1,3}}\)|[ _-]+v?\d{{1,3}}|[ _-]*(?:[ _-]|(?=[^\x00-\x7f]))(?:{_COPY_WORDS})|\.py)$"
)
_BEFORE = re.compile(r"^(?:copy of|copie de|kopie von|copia de|cópia de)[ _]")
_NUMBER = re.compile(r"(\d{1,3})\)?$")


def use_duplicates(
    files: Sequence[SourceFile], exercise_ids: Sequence[str], promises: Mapping[str, Sequence[str]]
) -> tuple[list[SourceFile], list[Remark]]:
    """
    Let a copy stand in for an exercise's file that is not there.

    A copy is a module whose name is the exercise's but for letter case, separators and what gets put around it
    (``Heads.py``, ``multi_head.py``, ``heads (1).py``, ``heads copy.py``), which defines a name that the exercise
    promises and which no other file imports under its own name: anything else is somebody's helper.
    Of several copies the one whose name differs by letter case or separators alone is used, else the one with the
    highest number, which browsers and learning platforms give to the newest.

    Returns:
        The files, the chosen copies renamed, and a remark for each copy.
    """
    remaining = list(files)
    remarks: list[Remark] = []
    taken = {PurePosixPath(file.path).name for file in files}
    for exercise in exercise_ids:
        copies = [
            file for file in remaining if _is_copy(file, exercise, exercise_ids, promises.get(exercise, ()), files)
        ]
        if not copies:
            continue
        name = f"{exercise}.py"
        if name not in taken:
            chosen = min(copies, key=lambda file: _distance(file.path, exercise))
            renamed = str(PurePosixPath(chosen.path).with_name(name))
            remaining[remaining.index(chosen)] = chosen.model_copy(update={"path": renamed})
            copies.remove(chosen)
            remarks.append(Remark(chosen.path, f"there is no {name}, so it was used as {name}; rename it to be sure"))
            winner = chosen.path
        else:
            winner = name
        remarks += [
            Remark(file.path, f"{winner} was used for {exercise} and not this; keep only the one that counts")
            for file in copies
        ]
    return remaining, remarks


@functools.lru_cache(maxsize=4096)  # a class hands in the same few names
def is_named_after(path: str, exercise: str) -> bool:
    """Whether a file's name is an exercise's but for letter case, separators and copy marks."""
    return any(_plain(stem) == _plain(exercise) for stem in _undecorated(_stem(path)))


def _is_copy(
    file: SourceFile,
    exercise: str,
    exercise_ids: Sequence[str],
    promised: Sequence[str],
    files: Sequence[SourceFile],
) -> bool:
    stem, suffix = PurePosixPath(file.path).stem, PurePosixPath(file.path).suffix
    if suffix.lower() != ".py" or (stem in exercise_ids and suffix == ".py") or not is_named_after(file.path, exercise):
        return False
    if any(_plain(stem) == _plain(other) for other in exercise_ids if other != exercise):
        return False
    if not set(promised) & find_definitions(file).names.keys():
        return False
    imported = re.compile(rf"^[ \t]*(?:from|import)\b[^#\n]*\b{re.escape(stem)}\b", re.MULTILINE)
    return not any(imported.search(other.text) for other in files if other is not file)


def _distance(path: str, exercise: str) -> tuple[bool, int, int, str]:
    stem = _stem(path)
    number = _NUMBER.search(stem)
    return (_plain(stem) != _plain(exercise), path.count("/"), -int(number[1]) if number else 0, path)


def _stem(path: str) -> str:
    return unicodedata.normalize("NFKC", PurePosixPath(path).stem).casefold().strip()


def _undecorated(stem: str) -> list[str]:
    """Return the stem and what is left of it as one copy mark after another is taken off."""
    stems = [stem, _BEFORE.sub("", stem)]
    for _ in range(4):
        stems.append(_BEHIND.sub("", stems[-1]).rstrip(" -_"))
    return stems


def _plain(stem: str) -> str:
    return re.sub(r"[ _.-]", "", stem.casefold())
