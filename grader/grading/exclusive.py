"""Let only one process at a time grade into a store."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from grader.grading.store import StoreError

try:
    import fcntl
except ImportError:  # Windows, where the grader does not run natively
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def exclusive(location: str) -> Iterator[None]:
    """
    Hold a store that is a file for oneself; whoever reads it or adjusts a grade is not kept out.

    The lock lies in a file beside it and ends with the process, however that ends.

    Raises:
        StoreError: If another process grades into it.
    """
    location = location.removeprefix("sqlite:///")
    if "://" in location or fcntl is None:
        yield  # a database server keeps transactions apart; two who grade there would only do some work twice
        return
    path = Path(f"{location}.lock")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StoreError(
            f"{location}: it cannot be written ({error.strerror}: {path}). Name another place with --store."
        ) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.read(descriptor, 100).decode("ascii", "replace").strip()
            raise StoreError(
                f"{location}: another process{f' ({owner})' if owner else ''} is grading into it. Wait until it is "
                "done, or name another with --store."
            ) from None
        with contextlib.suppress(OSError):  # a full disk is no reason: the number is only for people
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(descriptor)
