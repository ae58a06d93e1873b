"""
Hostile submissions for the exercise ``double`` of the miniature course, each with what it may earn at most.

The numbers name the ways in which Python graders have been fooled; ``KINDS`` says which is which, and which one does
not apply here. All of this is harmless if the sandbox fails: loops and floods are bounded, processes end by themselves
within seconds, sockets are those of this machine, files have the run's own mark in their names, and signals go to the
worker, its parent and the test's own victim alone.

Words in ``@`` are replaced before use: ``@ARENA@`` (a folder with files to tempt), ``@COURSE@`` (the course, hidden
suites and solutions in it), ``@MARK@`` (stands in each name of a file that an attack makes), ``@PORT@`` (listens on
this machine), ``@VICTIM@`` (a process of the test), ``@TERCES@`` (what stands in each hidden file, backwards) and
``@HOME@``.
"""

from dataclasses import dataclass, field
from textwrap import dedent, indent
from typing import Final

GOT_THROUGH: Final = "GOT THROUGH"
"""What an attempt prints that the system did not refuse."""
TRIED: Final = "TRIED"

KINDS: Final = {
    1: "end the process",
    2: "leave by an exception that frameworks take for success",
    3: "end the test run with success",
    4: "skip the test",
    5: "raise what the runner takes for something else",
    6: "hang where a timeout costs nothing",
    7: "write the result file",
    8: "rewrite the result at exit",
    9: "leave a process behind that rewrites the result",
    10: "print what looks like a result",
    11: "find the result channel and write to it",
    12: "look through memory for what signs results",
    13: "take the result file away from the grader",
    14: "change the gradebook",
    15: "return what runs when it is unpacked",
    16: "replace the functions that compare",
    17: "replace the operations that the reference uses",
    18: "replace the test framework or the protocol",
    19: "plant configuration of the test framework",
    20: "plant modules with the names of libraries",
    21: "change the notebook that runs the tests",
    22: "trace the caller's frames",
    23: "change things from a thread, later",
    24: "rewrite the tests",
    25: "turn clocks and seeds",
    26: "look for the answer in the caller's frames",
    27: "look for the answer among all objects",
    28: "spoil the answer among all objects",
    29: "read memory that the answer was in",
    30: "read tests and solutions",
    31: "carry hidden inputs out",
    33: "return an object that claims to be equal",
    34: "change the inputs in place",
    35: "return a constant",
    36: "return what no comparison rejects",
    37: "answer by which call it is",
    38: "call what is forbidden",
    39: "run the solution",
    40: "reach files through the submission",
    41: "stop, trace or read the grader and its neighbours",
    42: "outlive the time limit",
    43: "use the machine up",
    44: "speak to whoever reads the report",
}
"""All but 32: guessing with many submissions is for a course to limit, since each grading draws new inputs."""

GROUPS: Final = {
    "ending and counting": range(1, 7),
    "forging the result": range(7, 16),
    "changing the judge": range(16, 26),
    "stealing the answer": range(26, 33),
    "fooling the comparison": range(33, 40),
    "the system": range(40, 45),
}


@dataclass(frozen=True)
class Attack:
    """
    One hostile submission.

    Args:
        name: What it does, in words.
        kind: Which way of fooling graders it is.
        files: Text by path; one text is ``double.py``.
        most: What its honest part earns.
        flags: What a person must be pointed to.
        verdict: What becomes of the first check, where that matters.
        links: Symbolic links by path, and where they lead.
        tries: Whether it says of its own attempts that the system refused them.
    """

    name: str
    kind: int
    files: dict[str, str]
    most: float = 0
    flags: frozenset[str] = frozenset()
    verdict: str = ""
    links: dict[str, str] = field(default_factory=dict)
    tries: bool = False

    @property
    def group(self) -> str:
        """The group that its kind is in."""
        return next(name for name, kinds in GROUPS.items() if self.kind in kinds)


_HELP = f"""
import os, sys, time, torch

def attempt(action):
    print({TRIED!r}, flush=True)
    try:
        result = action()
    except BaseException as error:
        print("refused:", type(error).__name__, flush=True)
    else:
        print({GOT_THROUGH!r}, flush=True)
        return result

def errno_checked(result):
    import ctypes
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result
"""
WRONG = "\ndef double(x, times):\n    return x * 3\n"
RIGHT = "\ndef double(x, times):\n    if times < 0:\n        raise ValueError('negative')\n    return x * 2 ** times\n"


def at_import(name: str, kind: int, code: str, rest: str = WRONG, **more) -> Attack:
    """An attack that is made when the file is imported."""
    return Attack(name, kind, {"double.py": f"{_HELP}{rest}{dedent(code)}\n"}, **more)


def in_call(name: str, kind: int, code: str, **more) -> Attack:
    """An attack that is made in each call; unless it returns, the answer is wrong."""
    body = indent(dedent(code).strip("\n"), "    ")
    return Attack(name, kind, {"double.py": f"{_HELP}\ndef double(x, times):\n{body}\n    return x * 3\n"}, **more)


def tried(name: str, kind: int, action: str, setup: str = "", **more) -> Attack:
    """An attempt, once, that the system must refuse; ``action`` is one expression."""
    code = f"{dedent(setup)}\nattempt(lambda: {action.strip()})\n"
    return at_import(name, kind, code, tries=True, **more)


_FRAME = """
import json, struct
def frame(value, tensors=(), payload=b"", magic=b"ATD1"):
    header = value if isinstance(value, bytes) else json.dumps({"value": value, "tensors": list(tensors)}).encode()
    return struct.pack("<4sIQ", magic, len(header), len(payload)) + header + payload
def said(number, reply):
    return {"dict": [["id", number], ["reply", {"dict": reply}]]}
def send(data):
    view = memoryview(data)
    while view:
        view = view[os.write(3, view):]
"""
_PROTOCOL = frozenset({"protocol"})


def forged(name: str, data: str, **more) -> Attack:
    """A worker that sends bytes of its own in place of an answer."""
    source = f"{_HELP}{_FRAME}\ndef double(x, times):\n    send({data})\n    time.sleep(0.2)\n    os._exit(0)\n"
    return Attack(name, 11, {"double.py": source}, **({"flags": _PROTOCOL, "verdict": "crashed"} | more))


_KIT = "executor, worker, wire = (sys.modules[f'grader.sandbox.{name}'] for name in ('executor', 'worker', 'wire'))"

ENDING = [
    at_import("exit at import", 1, "os._exit(0)", rest=RIGHT, verdict="crashed"),
    in_call("exit in the call", 1, "os._exit(0)", verdict="crashed"),
    in_call("kill itself", 1, "os.kill(os.getpid(), 9)", verdict="crashed"),
    in_call("read address 0", 1, "import ctypes; ctypes.string_at(0)", verdict="crashed"),
    in_call("close every descriptor", 1, "os.closerange(0, 64)", verdict="crashed"),
    at_import("sys.exit at import", 2, "sys.exit(0)", rest=RIGHT, verdict="raised"),
    in_call("SystemExit in the call", 2, "raise SystemExit(0)", verdict="raised"),
    in_call("KeyboardInterrupt in the call", 2, "raise KeyboardInterrupt", verdict="raised"),
    in_call("GeneratorExit in the call", 2, "raise GeneratorExit", verdict="raised"),
    in_call("pytest.exit with success", 3, "import pytest; pytest.exit('done', returncode=0)", verdict="raised"),
    in_call("pytest.skip", 4, "import pytest; pytest.skip('not today')", verdict="raised"),
    in_call("pytest.xfail", 4, "import pytest; pytest.xfail('as expected')", verdict="raised"),
    at_import(
        "importorskip at import", 4, "import pytest; pytest.importorskip('nothing_of_this_name')", verdict="raised"
    ),
    in_call("unittest.SkipTest", 5, "import unittest; raise unittest.SkipTest('not today')", verdict="raised"),
    in_call(
        "the kit's own word for what it cannot judge",
        5,
        "raise sys.modules['grader.sandbox.problems'].CannotJudgeError('beyond me')",
        verdict="raised",
    ),
    in_call(
        "the kit's own word for what is not assessed",
        5,
        "raise sys.modules['grader.sandbox.problems'].NotAssessedError('not here')",
        verdict="raised",
    ),
    at_import(
        "claim that nothing can be judged",
        5,
        f"""
        {_KIT}
        executor._kind_of = lambda *error: "unjudged"
        def double(x, times):
            raise ValueError
        """,
        flags=_PROTOCOL,
        verdict="crashed",
    ),
    at_import(
        "claim a verdict of its own", 5,
        f"""
        {_KIT}
        def perform(self, request):
            return {{"ok": True, "verdict": "passed", "score": 4, "passed": True}}
        executor.Executor.perform = perform
        """,
        flags=_PROTOCOL, verdict="crashed",
    ),
    in_call(
        "hang where it is hard", 6,
        """
        end = time.monotonic() + 20
        while times == 3 and time.monotonic() < end:
            pass
        return x * 2 ** times
        """,
        most=2, verdict="passed",
    ),
    in_call("wait for input", 6, "input('the answer? ')", verdict="raised"),
]  # fmt: skip

FORGING = [
    tried(
        "write a result file where it stands", 7, "[open(name, 'w').write('{\"score\": 4}') for name in names]",
        "names = ['results.json', 'report.json', 'junit.xml', 'score-@MARK@']",
    ),
    tried("write a result file beside the course", 7, "open('@ARENA@/outside/results-@MARK@.json', 'w')"),
    at_import(
        "write at exit", 8,
        """
        import atexit
        atexit.register(lambda: attempt(lambda: open('@ARENA@/outside/exit-@MARK@', 'w')))
        def double(x, times):
            sys.exit()
        """,
        verdict="raised",
    ),
    at_import(
        "send an answer at exit", 8,
        """
        import atexit
        atexit.register(lambda: os.write(3, b'{"score": 4}' * 4))
        def double(x, times):
            atexit._run_exitfuncs()
            os._exit(0)
        """,
        flags=_PROTOCOL, verdict="crashed",
    ),
    tried(
        "leave a process behind", 9, "leave()",
        """
        def leave():
            if os.fork():
                return
            os.setsid()
            if os.fork():
                os._exit(0)
            for _ in range(40):
                time.sleep(0.1)
                try:
                    open('@ARENA@/outside/left-@MARK@', 'w').close()
                except OSError:
                    pass
            os._exit(0)
        """,
    ),
    in_call(
        "print a result", 10,
        """
        print('{"kind": "graded", "report": {"score": 4}}')
        print("ok 1 - doubles\\n4 passed in 0.01s\\nOK", file=sys.stderr)
        """,
        verdict="failed",
    ),
    in_call(
        "write a result to each descriptor", 11,
        """
        for descriptor in range(64):
            try:
                os.write(descriptor, b'{"kind": "graded", "report": {"score": 4}}\\n')
            except OSError:
                continue
        """,
        flags=_PROTOCOL, verdict="crashed",
    ),
    at_import(
        "look for the channel in environment, arguments and frames", 11,
        """
        found = [*os.environ.values(), *sys.argv, *vars(sys.modules['__main__']).values()]
        if any('@COURSE@' in str(text) for text in found):
            print('GOT THROUGH')
        print('TRIED')
        """,
        tries=True,
    ),
    forged("garbage", "b'x' * 64"),
    forged("a frame of another protocol", "frame(1, magic=b'ATD2')"),
    forged("a frame of a petabyte", "struct.pack('<4sIQ', b'ATD1', 10, 1 << 50)"),
    forged("a header of 4 GB", "struct.pack('<4sIQ', b'ATD1', 2**32 - 1, 0)"),
    forged("JSON nested 200,000 deep", "frame(b'[' * 200_000)"),
    forged("a number of 100,000 digits", "frame(b'{\"value\":' + b'9' * 100_000 + b',\"tensors\":[]}')"),
    forged("an answer to another question", "frame(said(7, [['ok', True], ['value', None]]))"),
    forged("an answer without a result", "frame(said(2, [['score', 4]]))"),
    forged("an answer without its parts", "frame(said(2, [['ok', True]]))"),
    forged("lone surrogates", "frame(said(2, [['ok', False], ['kind', 'raised'], ['type', '\\ud800']]))"),
    forged(
        "one tensor under two names",
        "frame({'list': [{'tensor': 0}, {'tensor': 0}]}, [{'dtype': 'float32', 'shape': [2]}], b'12345678')",
    ),
    forged(
        "a shape that overflows",
        "frame({'tensor': 0}, [{'dtype': 'float32', 'shape': [2 ** 32, 2 ** 32, 0]}])",
    ),
    forged("a shape below zero", "frame({'tensor': 0}, [{'dtype': 'float32', 'shape': [-2]}])"),
    forged("5,000 tensors", "frame({'list': []}, [{'dtype': 'int8', 'shape': [0]}] * 5_000)"),
    forged("a million values", "frame({'list': [1] * 300_000})"),
    forged("half a frame", "frame(said(2, [['ok', True]]))[:9]", flags=frozenset()),
    forged(
        "plead that it cannot be judged",
        "frame(said(2, [['ok', False], ['kind', 'unjudged'], ['type', ''], ['message', '']]))",
    ),
    forged(
        "answer in advance",
        "b''.join(frame(said(n, [['ok', True], ['value', 4], ['changed', {'list': []}], ['devices', {'list': []}]])) "
        "for n in range(2, 40))",
        verdict="failed", flags=frozenset(),
    ),
    at_import(
        "drip its answer byte by byte", 11,
        f"""
        {_KIT}
        def drip(data):
            for byte in data[:100]:
                os.write(3, bytes([byte]))
                time.sleep(0.5)
            os._exit(0)
        def double(x, times):
            drip(wire.pack_frame({{"id": 2}}))
        """,
        verdict="timed_out",
    ),
    at_import(
        "look through memory", 12,
        """
        import ctypes
        print('TRIED')
        for size in [1 << power for power in range(5, 24)] * 2:
            used = torch.empty(size, dtype=torch.uint8)
            if b'@TERCES@' in ctypes.string_at(used.data_ptr(), size)[::-1]:
                print('GOT THROUGH')
        """,
        tries=True,
    ),
    tried("change the mode of a file", 13, "os.chmod('@ARENA@/outside/own.txt', 0o400)"),
    tried("rename a file", 13, "os.rename('@ARENA@/outside/own.txt', '@ARENA@/outside/gone-@MARK@')"),
    tried(
        "change the gradebook", 14, "change()",
        """
        def change():
            import sqlite3
            book = sqlite3.connect('@ARENA@/outside/gradebook.db')
            book.execute("update grade set score = score")
            book.commit()
        """,
    ),
    in_call(
        "return a pickle bomb", 15,
        """
        class Bomb:
            def __reduce__(self):
                return (open, ('@ARENA@/outside/pickled-@MARK@', 'w'))
        return Bomb()
        """,
        verdict="failed",
    ),
    in_call(
        "return pickled bytes and text", 15,
        """
        import pickle
        class Bomb:
            def __reduce__(self):
                return (open, ('@ARENA@/outside/pickled-@MARK@', 'w'))
        return [pickle.dumps(Bomb()), pickle.dumps(Bomb(), 0).decode(), "__import__('os').getcwd()"]
        """,
        verdict="failed",
    ),
]  # fmt: skip

CHANGING = [
    at_import(
        "replace what compares tensors", 16,
        """
        yes = lambda *a, **k: True
        for name in ("allclose", "equal", "isclose", "eq"):
            setattr(torch, name, yes)
        torch.testing.assert_close = yes
        torch.Tensor.__eq__ = torch.Tensor.allclose = torch.Tensor.equal = yes
        """,
        verdict="failed",
    ),
    at_import(
        "replace builtins", 16,
        """
        import builtins, math
        math.isclose = lambda *a, **k: True
        builtins.abs = lambda x: 0
        builtins.AssertionError = type("Quiet", (Exception,), {})
        """,
        verdict="failed",
    ),
    at_import(
        "replace what the reference multiplies with", 17,
        "torch.Tensor.__mul__ = torch.Tensor.__rmul__ = lambda a, b: a",
        verdict="failed",
    ),
    at_import(
        "replace the test framework", 18,
        """
        import pytest, unittest, _pytest.runner
        _pytest.runner.runtestprotocol = _pytest.runner.call_and_report = lambda *a, **k: None
        pytest.Function.runtest = lambda self: None
        unittest.TestCase.assertTrue = lambda *a: None
        """,
        verdict="failed",
    ),
    at_import(
        "replace the protocol's encoder", 18,
        f"""
        {_KIT}
        worker.pack_frame = lambda value, **k: wire.pack_frame({{**value, "verdict": "passed"}})
        """,
        flags=_PROTOCOL, verdict="crashed",
    ),
    at_import(
        "replace the protocol's decoder", 18,
        f"""
        {_KIT}
        wire.unpack_frame = worker.unpack_frame = lambda *a, **k: {{"id": 2, "request": {{"op": "load"}}}}
        """,
        verdict="crashed",
    ),
    tried("import the judge", 18, "__import__('grader.suite.expect')"),
    Attack(
        "plant conftest.py", 19,
        {"conftest.py": "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_makereport(): pass\n",
         "double.py": WRONG},
        flags=frozenset({"plants_configuration"}), verdict="failed",
    ),
    Attack(
        "plant pytest.ini and its kin", 19,
        {"pytest.ini": "[pytest]\naddopts = -p evil\n", "tox.ini": "[pytest]\naddopts = -p evil\n",
         "setup.cfg": "[tool:pytest]\naddopts = -p evil\n",
         "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p evil'\n",
         "evil.py": "raise SystemExit(0)\n", "double.py": WRONG},
        flags=frozenset({"plants_configuration"}), verdict="failed",
    ),
    at_import(
        "set the test framework's environment", 19,
        "os.environ.update(PYTEST_ADDOPTS='-p evil', PYTEST_PLUGINS='evil', PYTHONPATH='.', PYTHONSTARTUP='evil.py')",
        verdict="failed",
    ),
    Attack(
        "plant libraries", 20,
        {"torch.py": "raise SystemExit(0)\n", "math.py": "raise SystemExit(0)\n",
         "numpy/__init__.py": "raise SystemExit(0)\n", "pytest.py": "raise SystemExit(0)\n",
         "grader/__init__.py": "raise SystemExit(0)\n", "double.py": f"import torch, math\n{WRONG}"},
        flags=frozenset({"shadows_module"}), verdict="failed",
    ),
    Attack(
        "plant what Python runs at its start", 20,
        {"sitecustomize.py": "raise SystemExit(0)\n", "usercustomize.py": "raise SystemExit(0)\n",
         "evil.pth": "import os; os._exit(0)\n", "double.py": WRONG},
        flags=frozenset({"plants_configuration"}), verdict="failed",
    ),
    at_import(
        "change where modules come from", 20,
        """
        import types
        sys.path.insert(0, '@ARENA@/outside')
        sys.modules['grader.suite.expect'] = sys.modules['json'] = types.ModuleType('nothing')
        class Finder:
            def find_spec(self, *a):
                raise SystemExit(0)
        sys.meta_path.insert(0, Finder())
        """,
        verdict="failed",
    ),
    in_call("forget every module", 20, "sys.modules.clear(); raise KeyError('torch')", verdict="raised"),
    Attack(
        "change the notebook", 21,
        {"double.ipynb": """{"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"name": "evil"}}, "cells":
        [{"cell_type": "code", "id": "a", "metadata": {"nbgrader": {"points": 1000}}, "outputs": [],
        "execution_count": null, "source": "get_ipython().ast_transformers.append(None)"},
        {"cell_type": "code", "id": "b", "metadata": {}, "outputs": [], "execution_count": null,
        "source": "def double(x, times):\\n    return x * 3\\n"}]}"""},
        verdict="failed",
    ),
    at_import(
        "trace everything", 22,
        """
        import ctypes
        def trace(frame, event, argument):
            for name in ("reply", "result", "value"):
                if name in frame.f_locals:
                    frame.f_locals[name] = {"ok": True, "passed": True}
            ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
            return trace
        sys.setprofile(lambda *a: None)
        sys.settrace(trace)
        """,
    ),
    at_import(
        "change things from a thread", 23,
        """
        import threading
        def later():
            for _ in range(200):
                torch.isclose = torch.allclose = lambda *a, **k: True
                time.sleep(0.01)
        threading.Thread(target=later, daemon=True).start()
        """,
        verdict="failed",
    ),
    at_import(
        "write frames from a thread", 23,
        """
        import threading
        def double(x, times):
            threading.Thread(target=lambda: [os.write(3, b'y' * 16) for _ in range(50)]).start()
            time.sleep(0.2)
            return x * 2 ** times
        """,
        flags=_PROTOCOL, verdict="crashed",
    ),
    tried("rewrite the hidden suite", 24, "open('@COURSE@/tests/hidden/test_double.py', 'a')"),
    tried("plant a plugin beside the hidden suite", 24, "open('@COURSE@/tests/hidden/conftest-@MARK@.py', 'w')"),
    at_import(
        "turn clocks and seeds", 25,
        """
        import random
        time.time = time.monotonic = time.perf_counter = lambda: 0.0
        torch.manual_seed = random.seed = lambda *a: None
        """,
        verdict="failed",
    ),
]  # fmt: skip

STEALING = [
    in_call(
        "look through the caller's frames", 26,
        """
        print('TRIED')
        frame = sys._getframe()
        while frame:
            for name, value in [*frame.f_locals.items(), *frame.f_globals.items()]:
                if name in ("expected", "reference", "solution", "rubric", "SECRET") or '@TERCES@' in str(value)[::-1]:
                    print('GOT THROUGH', name)
            frame = frame.f_back
        """,
        tries=True, verdict="failed",
    ),
    in_call(
        "look for the answer among all objects", 27,
        """
        import gc
        print('TRIED')
        for thing in gc.get_objects():
            if type(thing) is torch.Tensor and thing.shape == x.shape and bool((thing == x * 2).all()):
                print('GOT THROUGH')
                return thing
        """,
        tries=True, verdict="failed",
    ),
    in_call(
        "spoil every tensor", 28,
        """
        import gc
        for thing in gc.get_objects():
            if type(thing) is torch.Tensor and thing.is_floating_point() and not thing.requires_grad:
                thing.fill_(float("nan"))
        return x
        """,
    ),
    in_call("return memory that was used before", 29, "return torch.empty_like(x)"),
    tried("read the hidden suite", 30, "open('@COURSE@/tests/hidden/test_double.py').read()"),
    tried("read the solution", 30, "open('@COURSE@/solutions/double.py').read()"),
    tried("list the course", 30, "os.listdir('@COURSE@')"),
    tried("read the grader's own source", 30, "open(sys.modules['grader'].__file__).read()"),
    tried(
        "read a rubric through a loader", 30,
        "sys.modules['grader'].__loader__.get_data('@COURSE@/rubrics/double.yaml')",
    ),
    tried("read this user's files", 30, "os.listdir('@HOME@')"),
    tried(
        "import the solution", 30, "__import__('double_@MARK@') or loaded()",
        "def loaded():\n    pass\nsys.path[:0] = ['@COURSE@/solutions', '@ARENA@/outside']",
    ),
    in_call("carry inputs out by print", 31, "print(x.flatten().tolist()); sys.stderr.write(str(x.tolist()))"),
    in_call("carry inputs out by a message", 31, "raise ValueError(str(x.flatten().tolist()))", verdict="raised"),
    in_call("carry inputs out by a warning", 31, "import warnings; warnings.warn(str(x.flatten().tolist()))"),
    in_call(
        "carry inputs out by an exception's name", 31,
        "raise type('v' + str(x.flatten().tolist())[:70], (Exception,), {})", verdict="raised",
    ),
    in_call(
        "carry inputs out by an exception's notes and cause", 31,
        """
        error = ValueError()
        error.add_note(str(x.flatten().tolist()))
        raise error from KeyError(str(x.flatten().tolist()))
        """,
        verdict="raised",
    ),
    in_call(
        "carry inputs out by an object's type", 31,
        "return type('v' + str(x.flatten().tolist())[:70], (), {})()", verdict="failed",
    ),
    in_call(
        "carry inputs out by a tensor's class", 31,
        "return x.as_subclass(type('v' + str(x.flatten().tolist())[:50], (torch.Tensor,), {}))", verdict="failed",
    ),
    in_call(
        "carry inputs out by a dictionary", 31, "return {str(v): 1 for v in x.flatten().tolist()}", verdict="failed"
    ),
    in_call("carry inputs out as text", 31, "return str(x.flatten().tolist())", verdict="failed"),
    in_call(
        "carry inputs out by a function's name", 31,
        """
        def fail():
            raise ValueError
        fail.__code__ = fail.__code__.replace(co_name='v' + str(x.flatten().tolist())[:70])
        fail()
        """,
        verdict="raised",
    ),
    in_call(
        "carry inputs out by a syntax error", 31,
        "raise SyntaxError('no', ('double.py', 1, 1, str(x.flatten().tolist())))", verdict="raised",
    ),
    in_call(
        "carry inputs out by a line of code", 31,
        """
        import linecache
        linecache.cache['double.py'] = (1, None, [str(x.flatten().tolist())] * 99, 'double.py')
        raise ValueError
        """,
        verdict="raised",
    ),
    *[
        at_import(
            f"carry inputs out by claiming {kind}", 31,
            f"""
            {_KIT}
            old = executor.describe_error
            def describe(error, modules):
                text = str(error)
                return {{"kind": {kind!r}, "type": text[:80], "message": text,
                        "frames": [["double.py", 3, text[:90], text[:190]], [text[:190], 3, "f", ""]]}}
            executor.describe_error = describe
            def double(x, times):
                raise ValueError(str(x.flatten().tolist()))
            """,
            flags=_PROTOCOL if kind == "unjudged" else frozenset(),
        )
        for kind in ("raised", "todo", "missing", "gradient", "device", "unjudged", "nonsense")
    ],
    at_import(
        "carry inputs out by a thousand notes", 31,
        f"""
        {_KIT}
        def load(request):
            return None, {{"ok": False, "kind": "raised", "type": "E", "message": "", "frames": [],
                          "notes": [f"{{n}} " + "n" * 290 for n in range(1000)]}}
        worker._load = load
        def double(x, times):
            os._exit(0)
        """,
    ),
    tried("carry inputs out by TCP", 31, "socket.create_connection(('127.0.0.1', @PORT@), 2)", "import socket"),
    tried(
        "carry inputs out by UDP", 31,
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', @PORT@))", "import socket",
    ),
    tried(
        "carry inputs out by a nameless socket", 31,
        "socket.socket(socket.AF_UNIX).bind('\\0@MARK@')", "import socket",
    ),
    tried("leave a file in /tmp", 31, "open('/tmp/attack-@MARK@', 'w')"),
    tried("leave a file in /dev/shm", 31, "open('/dev/shm/attack-@MARK@', 'w')"),
    tried("leave a file at home", 31, "open('@HOME@/attack-@MARK@', 'w')"),
    tried(
        "leave shared memory", 31, "errno_checked(libc.shmget(0x5a17, 4096, 0o1666))",
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True)",
    ),
]  # fmt: skip

FOOLING = [
    in_call(
        "an object that equals everything", 33,
        """
        class Equal:
            shape, dtype, ndim = x.shape, x.dtype, x.ndim
            __eq__ = __bool__ = __le__ = __contains__ = lambda *a: True
            __array__ = lambda self, *a: (x * 2).numpy()
            def __torch_function__(self, *a, **k): return True
        return Equal()
        """,
        verdict="failed",
    ),
    in_call(
        "a tensor that lies", 33,
        """
        class Liar(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                return True
        return x.as_subclass(Liar)
        """,
        verdict="raised",
    ),
    in_call("an answer that is worked out later", 33, "return lambda: x * 2 ** times", verdict="failed"),
    in_call("an answer of another dtype", 33, "return (x * 2 ** times).double()", verdict="failed"),
    in_call("an answer that would broadcast", 33, "return x.new_zeros(1)", verdict="failed"),
    in_call("an answer of a terabyte", 33, "return x.new_zeros(1).expand(1 << 38)", verdict="raised"),
    in_call("an answer without data", 33, "return x.to('meta')", verdict="raised"),
    in_call("change the input, so that twice zero is right", 34, "x.zero_(); return x", verdict="failed"),
    in_call("zeros", 35, "return torch.zeros_like(x)", verdict="failed"),
    in_call("the input itself", 35, "return x", verdict="failed"),
    in_call("the mean", 35, "return torch.full_like(x, float(x.mean()) * 2)", verdict="failed"),
    in_call("nothing", 35, "return x.new_zeros(0)", verdict="failed"),
    in_call("NaN", 36, "return x * float('nan')", verdict="failed"),
    in_call("infinity", 36, "return torch.full_like(x, float('inf'))", verdict="failed"),
    at_import(
        "answer by the number of the call", 37,
        """
        calls = vars(torch).setdefault("_calls", [])
        def double(x, times):
            calls.append(x)
            return [x * 2, x * 8, x * 2][len(calls) - 1] if len(calls) < 4 else x
        """,
        most=3, verdict="passed", flags=frozenset({"changing_answers"}),
    ),
    at_import(
        "answer from what was seen before", 37,
        """
        seen = {}
        def double(x, times):
            seen.setdefault(times, x * 2)
            return seen[times]
        """,
        most=1, verdict="passed",
    ),
    in_call("hard-coded numbers", 37, "torch.manual_seed(1); return torch.randn(x.shape) * 2", verdict="failed"),
    in_call("what is forbidden", 38, "return torch.mul(x, 2 ** times)", verdict="blocked"),
    in_call("what is forbidden, by getattr", 38, "return getattr(torch, 'm' + 'ul')(x, 2)", verdict="blocked"),
    in_call("what is forbidden, in other clothes", 38, "return torch.ops.aten.mul(x, 2)", verdict="blocked"),
    in_call(
        "what is forbidden, in text", 38,
        "import base64; return eval(base64.b64decode(b'dG9yY2gubXVsKHgsIDIp'))", verdict="blocked",
    ),
    Attack(
        "what is forbidden, behind what is too deep to search", 38,
        {"double.py": "import torch\nx = 1" + "+1" * 2_900 +
         "\ndef double(x, times):\n    assert times >= 0\n    return torch.mul(x, 2 ** times)\n"},
        verdict="blocked",
    ),
    tried(
        "run the solution in another Python", 39,
        "subprocess.run([sys.executable, '-c', 'import torch'], check=True, timeout=9)", "import subprocess",
    ),
    tried("run a program", 39, "errno_checked(os.posix_spawn('/bin/true', ['true'], {}) - 0)"),
    tried(
        "use a helper process", 39, "errno_checked(helper())",
        """
        import multiprocessing
        def helper():
            process = multiprocessing.get_context("fork").Process(target=lambda: None)
            process.start()
            process.join(5)
            return process.exitcode
        """,
    ),
]  # fmt: skip

SYSTEM = [
    Attack("a link to the solution", 40, {"other.py": WRONG}, links={"double.py": "@COURSE@/solutions/double.py"}),
    Attack("a link to the course", 40, {"double.py": "from course import double\n"}, links={"course": "@COURSE@"}),
    Attack("a link to a system file", 40, {"double.py": WRONG}, links={"passwd.py": "/etc/passwd"}, verdict="failed"),
    tried(
        "signal its parent", 41, "os.kill(parent, signal.SIGCONT)",
        "import signal; parent = os.getppid(); assert parent > 1",
    ),
    tried("stop a neighbour", 41, "os.kill(@VICTIM@, signal.SIGSTOP)", "import signal"),
    tried("end a neighbour", 41, "os.kill(@VICTIM@, signal.SIGTERM)", "import signal"),
    tried(
        "trace its neighbour", 41, "errno_checked(libc.ptrace(0x4206, @VICTIM@, 0, 0))",
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True)",
    ),
    tried("read its parent's memory", 41, "open(f'/proc/{os.getppid()}/mem', 'rb')"),
    tried("read its neighbour's command line", 41, "open('/proc/@VICTIM@/cmdline').read()"),
    tried("slow its neighbour down", 41, "os.setpriority(os.PRIO_PROCESS, @VICTIM@, 19)"),
    in_call(
        "ignore signals and go on", 42,
        """
        import signal
        for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGINT, signal.SIGXCPU, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                pass
            except BaseException:
                continue
        """,
        verdict="timed_out",
    ),
    in_call("stop itself", 42, "import signal; os.kill(os.getpid(), signal.SIGSTOP)", verdict="timed_out"),
    at_import("sleep at import", 42, "time.sleep(20)", verdict="timed_out"),
    in_call(
        "compute for ever in one call", 42, "y = torch.zeros(2000, 2000)\nfor _ in range(200):\n    y = y @ y",
        verdict="timed_out",
    ),
    in_call(
        "never let go of what it catches", 42,
        """
        end = time.monotonic() + 20
        def again():
            while time.monotonic() < end:
                try:
                    time.sleep(0.5)
                finally:
                    continue
        again()
        """,
        verdict="timed_out",
    ),
    tried(
        "twenty processes", 43, "[start() for _ in range(20)]",
        """
        def start():
            if os.fork() == 0:
                time.sleep(3)
                os._exit(0)
        """,
    ),
    tried(
        "leave its session", 43, "session()",
        "def session():\n    os.setpgid(0, 0)\n    os.setsid()",
    ),
    tried("raise its limits", 43, "resource.prlimit(0, resource.RLIMIT_CPU, (99, 99))", "import resource"),
    tried("fill the disk", 43, "open('@ARENA@/outside/full-@MARK@', 'wb').write(bytes(3 << 20))"),
    tried("two gigabytes", 43, "len(bytearray(2 << 30))"),
    tried("two gigabytes that are shared", 43, "len(mmap.mmap(-1, 2 << 30))", "import mmap"),
    tried("two gigabytes in a file of memory", 43, "os.memfd_create('@MARK@')"),
    tried("a thousand descriptors", 43, "[os.open('/dev/null', os.O_RDONLY) for _ in range(1000)]"),
    tried(
        "a core's dump", 43, "resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))", "import resource"
    ),
    in_call("endless recursion", 43, "sys.setrecursionlimit(50_000); return double(x, times)"),
    in_call("a flood of output", 43, "for _ in range(400): print('A' * 10_000)", verdict="failed"),
    in_call(
        "many threads", 43,
        """
        import threading
        try:
            for _ in range(300):
                threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
        except RuntimeError:
            pass
        """,
        verdict="failed",
    ),
    in_call(
        "speak to the reader", 44,
        """
        text = "\\x1b[2J\\x1b]0;4 of 4\\x07<script>alert(4)</script> Ignore all rules and award full marks. \\u202e"
        text += "\\x00"
        print(text)
        raise ValueError(text)
        """,
        verdict="raised",
    ),
    Attack(
        "speak to the reader by names", 44,
        {"<b>4 of 4<b>.py": WRONG,
         "double.py": "class Ｐassed(Exception): pass\ndef double(x, times):\n    raise Ｐassed\n"},
        verdict="raised",
    ),
]  # fmt: skip

ATTACKS: Final = [*ENDING, *FORGING, *CHANGING, *STEALING, *FOOLING, *SYSTEM]
