"""torch works in the jail as it does outside."""

import os
from collections.abc import Iterator

import pytest
from jailer import USERS, Hosts, Jailer, make_jailer, remove_arena, runtime

from grader.sandbox.jail.user import open_to_everyone

WORK = """
torch.set_num_threads(1)
torch.manual_seed(3)
x = torch.randn(2, 3, 37, 41, requires_grad=True)
weights = (x @ x.transpose(-2, -1) / 41 ** 0.5).softmax(-1)
layer = torch.nn.Linear(41, 43)
output = layer(weights @ x)
output.square().sum().backward()
result = [output.sum().item(), x.grad.sum().item(), layer.weight.grad.sum().item(), torch.get_num_threads()]
"""


@pytest.fixture
def torch_jailer(user: str, hosts: Hosts) -> Iterator[Jailer]:
    """Return a jailer whose workers come from a process that has imported torch and done nothing with it."""
    jailer = make_jailer(user, hosts, "torch")
    yield jailer
    remove_arena(jailer)


def test_torch_computes_the_same_inside_and_outside(torch_jailer: Jailer) -> None:
    """
    To the last bit, also if its first operation runs in the jail.

    It then looks at the processor. If it cannot, it takes simpler kernels, whose results differ in the sixth digit.
    """
    outside = torch_jailer.run(WORK, settings=None)
    inside = torch_jailer.run_jailed(WORK)

    assert "done" == inside.outcome == outside.outcome
    assert outside.value == inside.value


def test_torch_still_imports_parts_of_itself(torch_jailer: Jailer) -> None:
    """Some of its modules are loaded at first use; so is a package that nobody used before."""
    if torch_jailer.uid != os.getuid() or torch_jailer.user == USERS[1]:
        closed = [path for path in runtime() if not open_to_everyone([path])]
        if closed:
            pytest.skip(f"this interpreter is closed to other users: {closed[0]}")
    code = """
assert 'torch.utils.benchmark' not in sys.modules and 'wave' not in sys.modules and 'sympy' not in sys.modules
import torch.utils.benchmark, wave, sympy
x = torch.ones(3, requires_grad=True)
result = torch.autograd.grad([x.sin().sum()], [x])[0].tolist()
"""

    assert "done" == torch_jailer.run_jailed(code).outcome


def test_a_tensor_beyond_the_memory_limit_raises(torch_jailer: Jailer) -> None:
    """In the learner's own code, where it can be shown, instead of the machine running out."""
    answer = torch_jailer.run_jailed("torch.ones(10**10)", memory_mb=512)

    assert "can't allocate memory" in answer.outcome
