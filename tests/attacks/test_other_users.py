"""What the system must refuse it refuses as every kind of user that grades."""

import pytest

from tests.attacks.as_user import KINDS, CannotBecomeError, kind_at_hand, run_tests
from tests.attacks.corpus import ATTACKS

BY_LAYER = {
    "limits": ("two gigabytes that are shared", "a thousand descriptors"),
    "landlock": ("read the hidden suite", "read the solution", "read this user's files"),
    "seccomp": (
        "leave a process behind",
        "change the mode of a file",
        "carry inputs out by UDP",
        "use a helper process",
    ),
    "landlock and seccomp": (
        "write a result file beside the course",
        "change the gradebook",
        "leave a file in /tmp",
        "carry inputs out by TCP",
        "run a program",
        "signal its parent",
        "stop a neighbour",
        "end a neighbour",
    ),
}
"""Attempts that get through if these are missing, from the table in docs/SECURITY.md; all of them take much longer."""
NAMES = {name for names in BY_LAYER.values() for name in names}
CHOSEN = [attack for attack in ATTACKS if attack.name in NAMES]
TEST = "tests/attacks/test_attacks.py::test_an_attack_gains_nothing"


@pytest.mark.parametrize("kind", KINDS)
def test_the_system_refuses_as_another_user_too(kind: str) -> None:
    """A few attempts for each layer; ``python -m tests.attacks.as_user KIND`` makes all attacks."""
    if kind == kind_at_hand():
        pytest.skip(f"the other tests run as {kind!r} already")
    nodes = [f"{TEST}[{attack.kind}-{attack.name}]" for attack in CHOSEN]

    try:
        result = run_tests(kind, nodes)
    except CannotBecomeError as error:
        pytest.skip(str(error))

    assert 0 == result.returncode, result.stdout[-3000:] + result.stderr[-3000:]
    assert f"{len(CHOSEN)} passed" in result.stdout


def test_each_chosen_attempt_is_one() -> None:
    """A name that no attack has would only make the test shorter."""
    assert NAMES == {attack.name for attack in CHOSEN if attack.tries}
