"""Decide by its name whether a file belongs to a submission."""

import re
import unicodedata
from collections.abc import Collection
from enum import Enum, auto

from grader.intake.limits import MAX_DEPTH, MAX_PATH
from grader.intake.refusal import Refused


class Role(Enum):
    """What intake does with a file."""

    SOURCE = auto()
    """It is read."""
    ANSWERS = auto()
    """It is read if it is named after an exercise."""
    ARCHIVE = auto()
    """It is opened when there is no source beside it."""
    SETTINGS = auto()
    """It is only flagged."""
    MISNAMED = auto()
    """It looks like source under another ending: worth a word to the learner."""
    OTHER = auto()
    """It is not looked at."""


_SETTINGS = frozenset(
    {
        ".pytest.ini",
        ".pytest.toml",
        "entry_points.txt",
        "pyproject.toml",
        "pytest.ini",
        "pytest.toml",
        "setup.cfg",
        "tox.ini",
    }
)
_IGNORED_FOLDERS = frozenset({"__macosx", "__pycache__", "node_modules", "site-packages"})
_MISNAMED = re.compile(r"\.(?:py|ipynb)\.(?:txt|json|text)$", re.IGNORECASE)
_BIDIRECTIONAL = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")

VIRTUAL_ENVIRONMENT_MARKERS = frozenset({"pyvenv.cfg", "conda-meta"})
"""A folder that holds one of these is an installation, not somebody's work."""


def role_of(name: str) -> Role:
    """Return what to do with a file of this name (the last part of its path)."""
    lowered = name.lower()
    if lowered in _SETTINGS or (lowered.endswith(".pth") and not lowered.startswith(".")):
        return Role.SETTINGS
    if lowered.startswith("."):
        return Role.OTHER
    if lowered.endswith((".py", ".ipynb")):
        return Role.SOURCE
    if lowered.endswith((".yaml", ".yml")):
        return Role.ANSWERS
    if lowered.endswith(".zip"):
        return Role.ARCHIVE
    return Role.MISNAMED if _MISNAMED.search(lowered) else Role.OTHER


def is_answers(name: str, exercise_ids: Collection[str]) -> bool:
    """Whether a file of this name holds the predictions for one of these exercises."""
    stem, dot, ending = name.rpartition(".")
    return bool(dot) and stem in exercise_ids and ending.lower() in ("yaml", "yml")


def is_notebook(path: str) -> bool:
    """Whether a path names a notebook."""
    return path.lower().endswith(".ipynb")


def is_ignored_folder(name: str) -> bool:
    """Whether a folder of this name is a tool's and nobody's work."""
    return name.startswith(".") or name.lower() in _IGNORED_FOLDERS


def clean_path(parts: list[str]) -> str:
    """
    Return the path that a submission's file goes by.

    Args:
        parts: Folder names from the submission's root, and the file's name.

    Raises:
        Refused: If a part leaves the submission, cannot be shown, or the path is too long or too deep.
    """
    for part in parts:
        if part in ("", ".", ".."):
            raise Refused("its path leaves the submission's folder; put it into the folder and hand it in again")
        if part.isascii() and part.isprintable():
            continue  # nearly all of them
        if any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in part) or _BIDIRECTIONAL.search(
            part
        ):
            raise Refused("its name holds characters that cannot be shown; rename it and hand it in again")
    path = unicodedata.normalize("NFC", "/".join(parts))
    if len(parts) - 1 > MAX_DEPTH:
        raise Refused(f"it lies more than {MAX_DEPTH} folders deep; move it nearer to the top and hand it in again")
    if len(path) > MAX_PATH:
        raise Refused(f"its path has more than {MAX_PATH} characters; shorten the names and hand it in again")
    return path


def show_path(path: str) -> str:
    """Return a path that may hold anything as one line that can be printed and stored."""
    shown = "".join(
        letter if letter.isprintable() or unicodedata.category(letter) == "Zs" else f"\\x{ord(letter):02x}"
        for letter in _BIDIRECTIONAL.sub("?", path)
    )
    return shown if len(shown) <= MAX_PATH else f"{shown[: MAX_PATH - 1]}…"
