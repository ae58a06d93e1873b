"""Jailers of several kinds of user, and what this kernel has."""

import sys
from collections.abc import Iterator

import pytest
from jailer import USERS, Hosts, Jailer, make_jailer, remove_arena, stop_host, uid_of

from grader.sandbox.jail.landlock import landlock_abi


@pytest.fixture(scope="session", autouse=True)
def only_linux() -> None:
    """Skip on systems whose kernel has none of this."""
    if sys.platform != "linux":
        pytest.skip("the layers of the jail exist on Linux only")


@pytest.fixture(scope="session")
def hosts() -> Iterator[Hosts]:
    """Hosts that are started by and by, and ended with the session."""
    running: Hosts = {}
    yield running
    for process in running.values():
        stop_host(process)


@pytest.fixture(scope="session", params=USERS)
def user(request: pytest.FixtureRequest) -> str:
    """Each kind of user that these tests can become."""
    uid_of(request.param)
    return str(request.param)


@pytest.fixture
def jailer(user: str, hosts: Hosts) -> Iterator[Jailer]:
    """Return a jailer with a fresh arena, as each kind of user."""
    with_arena = make_jailer(user, hosts)
    yield with_arena
    remove_arena(with_arena)


@pytest.fixture
def ordinary(hosts: Hosts) -> Iterator[Jailer]:
    """Return a jailer with a fresh arena, as an ordinary user."""
    with_arena = make_jailer(USERS[0], hosts)
    yield with_arena
    remove_arena(with_arena)


@pytest.fixture(scope="session")
def abi() -> int:
    """Return the newest Landlock of this kernel; skip where there is none."""
    try:
        return landlock_abi()
    except OSError as error:
        pytest.skip(f"this kernel has no Landlock: {error}")
