"""Each thing that code could try is refused in the jail and, to show that the attempt is a real one, works outside."""

import pytest
from jail_attempts import ATTEMPTS, FILES, ITSELF, KERNEL, NETWORK, OPTIONAL, OTHERS, PROC, PROGRAMS, REFUSALS, WRITES
from jailer import Jailer


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_the_jail_refuses_to(attempt: str, jailer: Jailer, abi: int) -> None:
    """The kernel itself says no, so there is nothing in Python that code could work around."""
    answer = jailer.run_jailed(ATTEMPTS[attempt])

    assert answer.outcome in REFUSALS
    assert answer.report["level"] == "strong", answer.report


@pytest.mark.parametrize("attempt", FILES | WRITES | PROC | OTHERS | NETWORK)
@pytest.mark.parametrize("version", [1, 3])
def test_on_a_kernel_with_an_older_landlock_it_refuses_to(
    attempt: str, version: int, ordinary: Jailer, abi: int
) -> None:
    """The filter makes up for what the first versions do not cover: truncation, TCP, signals, abstract sockets."""
    answer = ordinary.run_jailed(ATTEMPTS[attempt], landlock_abi=version)

    assert answer.outcome in REFUSALS
    assert f"landlock: version {version}" in answer.report["layers"]


@pytest.mark.parametrize("attempt", WRITES | OTHERS | NETWORK | PROGRAMS | ITSELF | KERNEL)
def test_without_landlock_it_still_refuses_to(attempt: str, jailer: Jailer) -> None:
    """Reading is then open to what the user may read, but nothing is written, disturbed, reached or started."""
    answer = jailer.run_jailed(ATTEMPTS[attempt], off=frozenset({"landlock"}))

    assert answer.outcome in REFUSALS


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_outside_the_jail_anybody_can(attempt: str, ordinary: Jailer) -> None:
    """An attempt that fails everywhere would prove nothing."""
    answer = ordinary.run(ATTEMPTS[attempt], settings=None)

    if attempt in OPTIONAL and answer.outcome in (*REFUSALS, "ENOTTY", "ENOTSUP", "EOPNOTSUPP", "ENOENT"):
        pytest.skip(f"this machine itself refuses this user to {attempt}: {answer.outcome}")
    assert answer.outcome == "done" or (attempt in PROGRAMS and answer.outcome == "gone" and answer.status == 0)
