"""Each check meets code that has not been called yet."""

import sys
from typing import Any

import torch

from grader.sandbox.executor import Executor
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
