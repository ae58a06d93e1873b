"""Read what the students of a class handed in, one after another."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from grader.intake.limits import MAX_HANDED_IN_ARCHIVE_BYTES
from grader.intake.listing import Listing, Remark
from grader.intake.reading import open_archives, read_listing
from grader.intake.trees import ClassTree, open_tree
from grader.model.classroom import HandIn
from grader.model.submission import Submission

_LEVELS = 2
"""A student's zip, and one inside it."""


class AttemptReader:
    """
    Reads hand-ins of one class, whose archive it opens once.

    Args:
        source: What was given to `read_classroom`.
        exercise_ids: The course's exercises.
        promises: The names that each exercise promises.

    Raises:
        SubmissionError: If the class's folder or archive is no longer there.
    """

    def __init__(self, source: Path, *, exercise_ids: Sequence[str], promises: Mapping[str, Sequence[str]]) -> None:
        self._tree: ClassTree = open_tree(source)
        self._exercise_ids = exercise_ids
        self._promises = promises

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tree.close()

    def read(self, hand_in: HandIn) -> Submission:
        """
        Return the attempt that counts, within bounds and without writing anything to the disk.

        Whatever is wrong with the files is said in the submission: it is that student's report.
        """
        student = hand_in.student.id
        if hand_in.chosen is None:
            return Submission(id=student, notes=("nothing was handed in",))
        attempt = hand_in.attempts[hand_in.chosen]
        names = attempt.names or tuple("" for _ in attempt.sources)
        listing = Listing()
        with ExitStack() as stack:
            for source, name in zip(attempt.sources, names, strict=True):
                self._tree.put(source, name, listing)
            open_archives(listing, stack, _LEVELS, MAX_HANDED_IN_ARCHIVE_BYTES)
            listing.remarks += [Remark(path, _OTHER) for path in listing.others if _is_other_archive(path)]
            return read_listing(listing, student, exercise_ids=self._exercise_ids, promises=self._promises)


_OTHER = "it cannot be opened here; hand in a .zip, or the .py and .ipynb files themselves"


def _is_other_archive(path: str) -> bool:
    return path.lower().endswith((".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz"))
