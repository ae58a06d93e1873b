"""Name what a grading depends on, so that what is graded already is known."""

import functools
import hashlib
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Final

import grader
from grader import __version__
from grader.model.submission import Submission

_CANNOT_CHANGE_A_REPORT: Final = frozenset({"_course", "authoring", "cli", "gradebooks", "report"})
"""Rooms of the kit; the course has a digest of its own."""


def content_key(submission: Submission) -> str:
    """Return the SHA-256 over all of a submission that its report depends on: everything but whose it is."""
    return hashlib.sha256(submission.model_dump_json(exclude={"id"}).encode()).hexdigest()


def submission_seed(seed: int, submission: Submission) -> int:
    """
    Return the seed that a submission is graded with.

    It follows from the run's seed and the code. Whoever hands in the same code is asked the same, whatever the name;
    and whoever changes the code and hands it in again is asked afresh, so that values seen in a report are of no use.
    A seed of the student's own would treat equal work differently, one seed for all would make reports an answer key.
    """
    digest = hashlib.sha256(f"{seed}\0{submission.sha256}".encode()).digest()
    return int.from_bytes(digest[:4], "little") >> 1


def grading_key(content: str, course_digest: str, kit: str, seed: int, exercises: Sequence[str]) -> str:
    """Return the SHA-256 over everything that a report depends on."""
    parts = (content, course_digest, kit, str(seed), ",".join(exercises))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@functools.cache
def kit_stamp() -> str:
    """Return what grades: version and digest of the kit's code, Python and torch."""
    root = Path(grader.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if parts[0] not in _CANNOT_CHANGE_A_REPORT:
            content = path.read_bytes()
            digest.update(f"{'/'.join(parts)}\0{len(content)}\0".encode() + content)
    return f"{__version__}+{digest.hexdigest()[:12]} Python {platform.python_version()} torch {torch_version()}"


def torch_version() -> str:
    """Ask the installed package, because importing it takes seconds."""
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return "unknown"
