"""A PostgreSQL server to keep stores on: the one that is named, or one that lives as long as the tests."""

import contextlib
import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

SERVER_VARIABLE = "GRADE_TEST_POSTGRESQL"
"""URL of a server on which databases may be made and dropped, such as ``postgresql://me@localhost/postgres``."""

_OWNER = "postgres"
_numbers = itertools.count(1)


def _as_somebody() -> dict[str, str]:
    """PostgreSQL refuses to run as the superuser of the system."""
    return {"user": _OWNER, "group": _OWNER} if os.getuid() == 0 else {}


def _reason_not_to_start() -> str:
    missing = [program for program in ("initdb", "pg_ctl") if shutil.which(program) is None]
    if missing:
        return f"{' and '.join(missing)} of PostgreSQL are not on this machine's PATH"
    if os.getuid() == 0 and _OWNER not in {entry.pw_name for entry in pwd.getpwall()}:
        return f"PostgreSQL does not run as root, and there is no user {_OWNER}"
    return ""


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[sa.URL]:
    """A server; skips with the reason if there is none and none can be started."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install '.[postgresql]'")
    named = os.environ.get(SERVER_VARIABLE)
    if named:
        yield sa.make_url(named).set(drivername="postgresql+psycopg")
        return
    reason = _reason_not_to_start()
    if reason:
        pytest.skip(f"{reason}, and {SERVER_VARIABLE} names no server")
    folder = Path(tempfile.mkdtemp(prefix="grade-pg-"))  # not pytest's: a socket's path must be short
    if os.getuid() == 0:
        shutil.chown(folder, _OWNER)
    data = str(folder / "data")

    def run(*command: str) -> None:
        done = subprocess.run(
            command, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **_as_somebody()
        )
        assert 0 == done.returncode, done.stdout

    try:
        run("initdb", "-D", data, "-U", "grader", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        run("pg_ctl", "start", "-w", "-D", data, "-l", str(folder / "log"), "-o", settings)
        try:
            yield sa.URL.create(
                "postgresql+psycopg", username="grader", database="postgres", query={"host": str(folder)}
            )
        finally:
            run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", data)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def new_database(server: sa.URL) -> Iterator[str]:
    """Make an empty database, yield its URL as an instructor would type it, and drop it."""
    name = f"grades_{os.getpid()}_{next(_numbers)}"
    engine = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        yield server.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
        with engine.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        engine.dispose()
