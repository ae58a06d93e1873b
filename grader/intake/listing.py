"""Say what is there before any of it is read."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

from grader.intake.membership import Role
from grader.intake.refusal import Refused, refuse_if_larger


class Remark(NamedTuple):
    """A note about one file."""

    path: str
    text: str


class Found(NamedTuple):
    """A file that could be read."""

    path: str
    """Relative to the submission's root, with forward slashes, in Unicode normal form C."""
    size: int
    """Bytes, as its folder or archive says; reading checks it again."""
    read: Callable[[int], bytes]
    """Gives that many bytes at most; may raise ``Refused`` or ``OSError``."""
    open: Callable[[], BinaryIO] | None = None
    """Where it can be read in any order without holding it in memory."""


@dataclass
class Listing:
    """What a folder or an archive holds, sorted by what intake does with it."""

    sources: list[Found] = field(default_factory=list)
    archives: list[Found] = field(default_factory=list)
    answers: list[Found] = field(default_factory=list)
    """Files that hold predictions if they are named after an exercise."""
    settings: list[Found] = field(default_factory=list)
    """Files that would configure tools. Never used, only flagged."""
    refused: list[Remark] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    """Paths of files that are not looked at: worth a word where there is nothing else."""

    def put(self, found: Found, role: Role) -> None:
        """Put a file where its role says."""
        if role is Role.SOURCE:
            self.sources.append(found)
        elif role is Role.ARCHIVE:
            self.archives.append(found)
        elif role is Role.ANSWERS:
            self.answers.append(found)
        elif role is Role.SETTINGS:
            self.settings.append(found)
        elif role is Role.MISNAMED:
            name = found.path.rpartition("/")[2].rpartition(".")[0]
            self.remarks.append(Remark(found.path, f"it was not read because of its ending; rename it to {name}"))

    def add(self, other: "Listing") -> None:
        """Take over everything that another listing holds."""
        self.sources += other.sources
        self.archives += other.archives
        self.answers += other.answers
        self.settings += other.settings
        self.refused += other.refused
        self.remarks += other.remarks
        self.others += other.others


def read_found(found: Found, limit: int, advice: str = "hand in smaller files") -> bytes:
    """
    Return a file's bytes.

    Args:
        found: The file.
        limit: The most bytes that are read, whatever the folder or the archive said about the size.
        advice: What the learner can do about a file that is larger.

    Raises:
        Refused: If it is larger, cannot be opened, or is damaged.
    """
    refuse_if_larger(found.size, limit, advice)
    try:
        # One byte more than allowed shows that the size was a lie, and costs no more than that byte.
        data = found.read(limit + 1)
    except OSError as error:
        raise Refused(
            f"it cannot be opened ({error.strerror or error}); make it readable and hand it in again"
        ) from None
    refuse_if_larger(len(data), limit, advice)
    return data
