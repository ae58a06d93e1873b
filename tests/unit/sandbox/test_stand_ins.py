"""A known-good implementation takes the calls of a learner's own, and only where it can."""

import ast
import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from grader.sandbox.namespace import LearnerFile, LearnerModules
from grader.sandbox.stand_ins import StandIn, adapt_stand_in, always_replaced, read_signature


def attend(query, key, value, mask=None):
    """The stand-in: says what it was called with."""
    return query, key, value, mask


def defined(parameters: str) -> Callable[..., Any]:
    """A learner's own definition with these parameters."""
    namespace: dict[str, Any] = {}
    exec(f"def attend({parameters}):\n    return 'own'", namespace)
    own: Callable[..., Any] = namespace["attend"]
    return own


@pytest.mark.parametrize(
    ("parameters", "call", "answer"),
    [
        ("query, key, value, mask", "1, 2, 3, 4", (1, 2, 3, 4)),
        ("q, k, v, m=None", "1, 2, v=3", (1, 2, 3, None)),
        ("value, key, query, mask=None", "1, 2, 3", (3, 2, 1, None)),
        ("query, key, value, *, mask=None, heads=1", "1, 2, 3, mask=4", (1, 2, 3, 4)),
        ("query, key, value, mask=None, dropout=None", "1, 2, 3, 4", (1, 2, 3, 4)),
        ("query, key, value, mask=None, dropout=None", "1, 2, 3, 4, None", (1, 2, 3, 4)),
        ("query, key, value, mask=None, dropout=0.0", "1, 2, 3, dropout=0.0", (1, 2, 3, None)),
        ("query, key, value, mask=None, dropout=0.0", "1, 2, 3, dropout=0.1", "own"),
        ("query, key, value, mask=None, dropout=False", "1, 2, 3, dropout=0", "own"),
        ("query, key, value, dropout=None, mask=None", "1, 2, 3, None, 4", (1, 2, 3, 4)),
        ("query, key, value, dropout=None, mask=None", "1, 2, 3, 4", "own"),
        ("q, k, v, m=None, dropout=None", "1, 2, 3, 4", (1, 2, 3, 4)),
        ("query, key, value, mask=None, *rest, **options", "1, 2, 3, 4", (1, 2, 3, 4)),
        ("query, key, value, mask=None, *rest, **options", "1, 2, 3, 4, 5", "own"),
        ("query, key, value, mask=None, *rest, **options", "1, 2, 3, 4, p=5", "own"),
    ],
)
def test_a_stand_in_takes_the_calls_that_it_can(parameters: str, call: str, answer: object):
    """A mistake in an earlier exercise costs nothing, whatever the parameters are called and whatever else there is."""
    adapted = adapt_stand_in(defined(parameters), attend)

    assert answer == eval(f"adapted({call})", {"adapted": adapted})


@pytest.mark.parametrize(
    "parameters",
    ["q, k, v", "query, key, value, mask, heads", "q, mask, k, v", "q, k, v, dropout=None, mask=None", "*arguments"],
)
def test_other_parameters_leave_the_learners_own(parameters: str):
    """Only that fits the learner's calls."""
    assert adapt_stand_in(defined(parameters), attend) is None


STAND_IN = StandIn("scaling", ("attend",), "def attend(query, key, value, mask=None):\n    return 'good'\n")


@pytest.mark.parametrize(
    ("definition", "always"),
    [
        ("def attend(query, key, value, mask=None): ...", True),
        ("def attend(q, k, v, m): ...", True),
        ("def attend(query, key, value, mask=None, dropout=None): ...", False),
        ("def attend(query, key, value): ...", False),
        ("def attend(query, key, value, *rest): ...", False),
        ("@changed\ndef attend(query, key, value, mask=None): ...", False),
        ("async def attend(query, key, value, mask=None): ...", False),
        ("class attend:\n    def __init__(self, query, key, value, mask=None): ...", True),
        ("class attend:\n    def __init__(self, q, k, v, m=None): ...", False),
        ("class attend(metaclass=changed):\n    def __init__(self, query, key, value, mask=None): ...", False),
        ("class attend:\n    def __init__(self, query, key, value, mask=None): ...\n    def __new__(cls): ...", False),
    ],
)
def test_the_text_says_whether_a_definition_never_runs(definition: str, always: bool):
    """Nothing else does: a definition that may run is searched for what is forbidden."""
    assert always is always_replaced(ast.parse(definition).body[0], STAND_IN.signatures["attend"])


@pytest.mark.parametrize(
    "parameters", ["", "a", "a, /, b=1", "a, *, b", "a, b=2, *c, d, e=3, **f", "a, /, *b", "*, a=None", "**a"]
)
def test_parameters_are_read_as_python_reads_them(parameters: str):
    """Names and kinds, and which of them have a default."""
    read = read_signature(ast.parse(f"def attend({parameters}): ...").body[0])
    expected = inspect.signature(defined(parameters))

    def form(signature: inspect.Signature | None) -> list[tuple[str, object, bool]]:
        assert signature is not None
        return [(p.name, p.kind, p.default is p.empty) for p in signature.parameters.values()]

    assert form(expected) == form(read)


def loaded(
    entry: str, sources: dict[str, str], own_names: tuple[str, ...] = (), unsearched: tuple[tuple[str, str], ...] = ()
) -> Any:
    """The module of the file ``entry``."""
    files = [LearnerFile(path, path.endswith(".ipynb"), (("", text),)) for path, text in sources.items()]
    modules = LearnerModules(files, ("scaling", "multihead"), [STAND_IN], own_names, unsearched)
    with modules.installed():
        return modules.load(entry)


OWN = "def attend(query, key, value, mask=None):\n    return 'own'\n"


def test_what_the_loaded_file_defines_may_be_its_own():
    """There it is no answer to an earlier exercise, and does what it does."""
    both = {"multihead.py": OWN, "scaling.py": OWN}

    assert "good" == loaded("multihead.py", both).attend(1, 2, 3)
    assert "own" == loaded("multihead.py", both, ("attend",)).attend(1, 2, 3)
    assert "good" == loaded("multihead.py", {**both, "multihead.py": "from scaling import *"}, ("attend",)).attend(
        1, 2, 3
    )
    partly = "import functools\ndef mine(a, b, c, m=None):\n    return 'own'\nattend = functools.partial(mine)\n"
    assert "own" == loaded("multihead.py", {**both, "multihead.py": partly}, ("attend",)).attend(1, 2, 3)


def test_a_partial_of_the_learners_own_function_is_the_learners_own():
    """It is replaced as well, but one of a library's function is no definition of the learner's."""
    scaling = "import functools, torch\ndef mine(scale, query, key, value, mask=None):\n    return 'own'\n"
    multihead = "from scaling import attend\n"

    def attend_of(line: str) -> Any:
        return loaded("multihead.py", {"multihead.py": multihead, "scaling.py": f"{scaling}{line}\n"}).attend

    assert "good" == attend_of("attend = functools.partial(mine, 2)")(1, 2, 3)
    assert "good" == attend_of("attend = functools.partial(functools.partial(mine), scale=2)")(query=1, key=2, value=3)
    assert isinstance(attend_of("attend = functools.partial(torch.matmul)"), functools.partial)


@pytest.mark.parametrize(
    "change",
    [
        "attend.__module__ = 'torch'",
        "attend.__signature__ = __import__('inspect').Signature()",
        "attend.__signature__ = __import__('inspect').signature(lambda query, key, value, mask=None, more=None: 0)",
        "__import__('functools').update_wrapper(attend, print)",
        "attend = __import__('torch').relu",
        "attend.__code__ = (lambda query, key: 'own').__code__",
    ],
)
def test_what_was_not_searched_is_replaced_whatever_it_has_become(change: str):
    """The search for what is forbidden relies on it."""
    sources = {"multihead.py": "from scaling import attend\n", "scaling.py": f"{OWN}{change}\n"}

    assert "good" == loaded("multihead.py", sources, (), (("scaling.py", "attend"),)).attend(1, 2, 3)


def test_what_has_no_module_is_left():
    """Many of torch's functions are like that."""
    sources = {"multihead.py": "from scaling import attend\n", "scaling.py": "import torch\nattend = torch.matmul\n"}

    assert "matmul" == loaded("multihead.py", sources).attend.__name__
