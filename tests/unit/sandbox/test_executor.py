"""Each check meets code that has not been called yet."""

import sys
from typing import Any

import pytest
import torch
from torch import nn

from grader.sandbox import executor as executor_module
from grader.sandbox.executor import Executor, parameters_of
from grader.sandbox.namespace import LearnerFile, LearnerModules

COUNTING = """
from helper import start
calls = start()

def count(x):
    global calls
    calls = calls + 1
    return x + calls
"""
HELPER = """
print("loaded")

def start():
    return 0
"""


def executor_of(text: str, **settings: Any) -> Executor:
    """Code that is asked as in a worker, and can be run anew."""
    files = [LearnerFile("test.py", False, (("", text),)), LearnerFile("helper.py", False, (("", HELPER),))]
    modules = LearnerModules(files, ("test",))

    def load() -> Any:
        with modules.installed():
            return modules.load_again("test.py")

    with modules.installed():
        return Executor(modules.load("test.py"), modules, load, **settings)


def count(executor: Executor, *, begin: bool = False) -> float:
    """What the counting code makes of zero."""
    request = {"op": "call", "target": "count", "args": [torch.zeros(1)], "seed": 0, "device": "cpu", "begin": begin}
    return float(executor.perform(request)["value"])


def test_what_a_check_leaves_behind_is_forgotten_at_the_next(capsys) -> None:
    """A global begins anew with each check, within a check it stays, and nothing is printed twice."""
    executor = executor_of(COUNTING)

    assert [1.0, 2.0, 1.0] == [count(executor, begin=True), count(executor), count(executor, begin=True)]
    assert "loaded\n" == capsys.readouterr().out


def test_a_check_can_ask_for_that_in_the_middle() -> None:
    """To compare an answer with that of code which was asked nothing before."""
    executor = executor_of(COUNTING)
    count(executor, begin=True)

    assert {"ok": True} == executor.perform({"op": "forget"})

    assert 1.0 == count(executor)


def test_code_that_takes_long_to_load_goes_on_as_it_is() -> None:
    """Training a network at import, before each of fifty checks, would use up the time of them all."""
    executor = executor_of(COUNTING, loading_s=0.0)

    assert [1.0, 1.0, 2.0] == [count(executor, begin=True) for _ in range(3)]


def test_code_that_cannot_be_run_twice_goes_on_as_it_is() -> None:
    """It may register something under a name that is then taken."""
    once = "import sys\nif 'only_once' in sys.modules: raise ValueError\nsys.modules['only_once'] = sys\n"
    try:
        executor = executor_of(once + COUNTING)

        assert [1.0, 2.0, 3.0] == [count(executor, begin=True) for _ in range(3)]
    finally:
        sys.modules.pop("only_once", None)


@pytest.mark.parametrize("container", ["list", "dict", "sequential", "none"])
def test_a_parameter_goes_by_its_plainest_name(container: str) -> None:
    """Layers that were put into a container first are the attributes that the exercise asks for all the same."""
    module, layers = nn.Module(), [nn.Linear(2, 2) for _ in range(2)]
    if container == "list":
        module.layers = nn.ModuleList(layers)
    elif container == "dict":
        module.layers = nn.ModuleDict(dict(zip("qk", layers, strict=True)))
    elif container == "sequential":
        module.layers = nn.Sequential(*layers)
    module.W_q, module.W_k = layers

    assert ["W_k.bias", "W_k.weight", "W_q.bias", "W_q.weight"] == sorted(parameters_of(module))


def test_a_layer_of_two_names_is_told_once() -> None:
    """By the first: that one of both is missing is the mistake."""
    module = nn.Module()
    module.W_q = module.W_k = nn.Linear(2, 2)

    assert ["W_q.weight", "W_q.bias"] == list(parameters_of(module))


KEEPS = """
from torch import nn

class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        self.kept = self.linear(x)
        return self.kept
"""


@pytest.mark.parametrize("device", ["pretend", "accelerator"])
def test_a_module_that_keeps_what_it_computed_goes_to_another_device(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many keep their attention weights for a plot; torch copies no tensor that has a history."""
    monkeypatch.setattr(executor_module, "accelerator", lambda: torch.device("meta"))
    executor = executor_of(KEEPS)
    call = {"op": "call", "args": [torch.ones(3, 2)], "seed": 0}
    made = executor.perform({**call, "target": "Layer", "args": [], "device": "cpu"})["value"]

    replies = [executor.perform({**call, "target": made, "device": place}) for place in ("cpu", device)]

    # No value comes back from this accelerator, which takes everything and computes nothing.
    assert [True, device == "pretend"] == [reply["ok"] for reply in replies]
    assert device == "pretend" or "Cannot copy out of meta tensor" in replies[1]["message"]


ON_A_GPU = """
import torch

def attend(x):
    if x.device.type == "cpu":
        return x
    BODY
"""
MIXES = "return x + torch.ones(x.shape)"
BEYOND = "return torch.from_dlpack(x)"
"""What the pretend accelerator cannot do."""


def caught(what: str, answer: str) -> str:
    """Code that answers an exception."""
    return f"try:\n        {what}\n    except Exception as error:\n        {answer}"


@pytest.mark.parametrize(
    ("body", "kind", "line"),
    [
        pytest.param(MIXES, "device", 7, id="mixed devices"),
        pytest.param(caught(MIXES, "raise ValueError('no')"), "device", 8, id="a device mistake in other words"),
        pytest.param(caught(MIXES, "raise ValueError('no') from None"), "device", 8, id="and from nothing"),
        pytest.param(caught(MIXES, "raise ValueError('no') from KeyError()"), "device", 8, id="and from nowhere"),
        pytest.param(caught(MIXES, "raise"), "device", 8, id="a device mistake passed on"),
        pytest.param("raise RuntimeError('never ported')", "refused", 7, id="a raise"),
        pytest.param("assert x.device.type == 'cpu'", "refused", 7, id="an assertion"),
        pytest.param(caught("raise KeyError", "raise ValueError"), "refused", 10, id="a raise of a raise"),
        pytest.param("raise ValueError from OSError()", "refused", 7, id="a raise from nowhere"),
        pytest.param(BEYOND, "unjudged", 7, id="what torch cannot do there"),
        pytest.param(caught(BEYOND, "raise"), "unjudged", 8, id="what torch cannot do, passed on"),
        pytest.param(caught(BEYOND, "raise OSError('no') from error"), "unjudged", 10, id="in other words"),
        pytest.param(
            caught(BEYOND, "raise OSError('no') from None"), "unjudged", 10, id="in other words, from nothing"
        ),
        pytest.param(caught(MIXES, BEYOND), "unjudged", 10, id="on another way, what torch cannot do"),
        pytest.param("assert x.device.type in ('cpu', 'cuda', 'mps')", "unjudged", 7, id="a list of known devices"),
        pytest.param("x.is_cuda\n    raise OSError", "unjudged", 8, id="after a question about CUDA by name"),
    ],
)
def test_a_refusal_of_its_own_on_an_accelerator_is_judged(body: str, kind: str, line: int) -> None:
    """A real accelerator meets a raise and a device mistake too, and may do what torch cannot do here."""
    text = ON_A_GPU.replace("BODY", body)
    request = {"op": "call", "target": "attend", "args": [torch.ones(2)], "seed": 0, "device": "pretend"}

    reply = executor_of(text).perform(request)

    assert (kind, line) == (reply["kind"], reply["frames"][-1][1])
