"""Let only one process at a time grade into a store."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from grader.grading.store import StoreError, database_url, is_file, unusable

try:
    import fcntl
except ImportError:  # Windows, where the grader does not run natively
    fcntl = None  # type: ignore[assignment]

_ADVISORY: Final = 0x6174_7464_6F6A_6F00
"""The number of our lock among all that a PostgreSQL database keeps; any would do that nobody else takes."""
_CONNECT_S: Final = 30


@contextlib.contextmanager
def exclusive(location: str) -> Iterator[None]:
    """
    Hold a store for oneself while grading; whoever reads it or adjusts a grade is not kept out.

    The lock lies in a file beside an SQLite file, or on the server of a PostgreSQL database, and ends with the process,
    however that ends. Other databases have none: two who grade there only do some work twice.

    Raises:
        StoreError: If another process grades into it, or it cannot be reached.
    """
    url = database_url(location)
    if url is not None and url.get_backend_name() == "postgresql":
        with _on_server(url):
            yield
        return
    if url is not None:
        if not is_file(url):
            yield
            return
        location = str(url.database)
    if fcntl is None:
        yield
        return
    with _beside_file(location):
        yield


@contextlib.contextmanager
def _on_server(url: sa.URL) -> Iterator[None]:
    try:
        engine = sa.create_engine(url, connect_args={"connect_timeout": _CONNECT_S}, isolation_level="AUTOCOMMIT")
        connection = engine.connect()
    except (SQLAlchemyError, ImportError) as error:
        raise unusable(url, error) from None
    try:
        # It belongs to the connection: the server lets go of it when the process is gone.
        if not connection.scalar(sa.select(sa.func.pg_try_advisory_lock(_ADVISORY))):
            owner = connection.scalar(
                sa.text(
                    "SELECT client_addr::text FROM pg_stat_activity JOIN pg_locks USING (pid) WHERE locktype = "
                    "'advisory' AND granted AND objid = :number LIMIT 1"
                ),
                {"number": _ADVISORY & 0xFFFF_FFFF},
            )
            raise StoreError(
                f"{url.render_as_string(hide_password=True)}: another process{f' (from {owner})' if owner else ''} is "
                "grading into it. Wait until it is done, or name another with --store."
            )
        yield
    except SQLAlchemyError as error:
        raise unusable(url, error) from None
    finally:
        with contextlib.suppress(SQLAlchemyError):  # the server may be gone, and the lock with it
            connection.close()
            engine.dispose()


@contextlib.contextmanager
def _beside_file(location: str) -> Iterator[None]:
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
