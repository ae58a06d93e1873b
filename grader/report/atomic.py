"""Write a file so that whoever reads it sees the old one or the new one, and never half of either."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from grader.model.errors import GraderError


@contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """
    Open a new UTF-8 file that takes the place of ``path`` when the block ends without an exception.

    Raises:
        GraderError: If it cannot be written; what was there before stays.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    except OSError as error:
        raise _cannot(path, error) from None
    try:
        with open(descriptor, "w", encoding="utf-8", errors="replace", newline="") as file:
            yield file
        # mkstemp makes files for the owner alone; these are as open as any other file of this user.
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _cannot(path, error) from None
        raise


def write_atomically(path: Path, text: str) -> None:
    """Replace a file's text at once, unless it holds that already; `GraderError` if it cannot be written."""
    if not _holds(path, text.encode("utf-8", "replace")):
        with replacing(path) as file:
            file.write(text)


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and not path.is_symlink() and path.read_bytes() == data
    except OSError:
        return False


def _umask() -> int:
    # There is no way to ask without setting it. Files are written by one thread.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _cannot(path: Path, error: OSError) -> GraderError:
    return GraderError(
        f"{path}: it cannot be written ({error.strerror or error}). What was there before is unchanged; "
        "make room or name another place, then run the same command again."
    )
