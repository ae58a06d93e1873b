"""What the system must refuse it refuses as every kind of user that grades."""

import pytest

from tests.attacks.as_user import KINDS, CannotBecomeError, kind_at_hand, run_tests
from tests.attacks.corpus import ATTACKS

TRIED = [attack for attack in ATTACKS if attack.tries]
TEST = "tests/attacks/test_attacks.py::test_an_attack_gains_nothing"


@pytest.mark.parametrize("kind", KINDS)
def test_the_system_refuses_as_another_user_too(kind: str) -> None:
    """The attempts of the attacks; what else they do does not depend on who grades."""
    if kind == kind_at_hand():
        pytest.skip(f"the other tests run as {kind!r} already")
    nodes = [f"{TEST}[{attack.kind}-{attack.name}]" for attack in TRIED]

    try:
        result = run_tests(kind, nodes)
    except CannotBecomeError as error:
        pytest.skip(str(error))

    assert 0 == result.returncode, result.stdout[-3000:] + result.stderr[-3000:]
    assert f"{len(TRIED)} passed" in result.stdout
