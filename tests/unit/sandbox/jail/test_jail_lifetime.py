"""A worker does not outlive its parent, and its memory is its own."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jailer import REPOSITORY, Jailer, killed_by

START = f"""
import os, signal, sys, time
sys.path.insert(0, {str(REPOSITORY)!r})
from grader.sandbox.jail import JailSettings, enter_jail, make_undumpable
def say(*words): os.write(1, " ".join(map(str, words)).encode() + b"\\n")
"""


def start(code: str) -> subprocess.Popen[str]:
    """Start a Python that knows the jail, in a session of its own."""
    return subprocess.Popen([sys.executable, "-c", START + code], stdout=subprocess.PIPE, text=True)


def lives(pid: int) -> bool:
    """Say whether a process is there and has not ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def dies_soon(pid: int, within_s: float = 30) -> bool:
    """Give a process time to end, and no more than it needs; a busy machine needs more."""
    deadline = time.monotonic() + within_s
    while lives(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not lives(pid)


@pytest.mark.parametrize(("off", "dies"), [("", True), ("parent_death", False)])
def test_a_worker_dies_with_its_parent(off: str, dies: bool) -> None:
    """Also with a parent that was killed and could not say goodbye; without that layer it would go on."""
    forking = f"""
me = os.getpid()
if os.fork() == 0:
    report = enter_jail(JailSettings(readable=(), off=frozenset({{{off!r}}})), me)
    say(os.getpid(), report.level)
    time.sleep(60)
time.sleep(60)
"""
    parent = start(forking)
    worker = int(parent.stdout.readline().split()[0])
    parent.stdout.close()

    parent.kill()
    parent.wait()

    try:
        assert dies is dies_soon(worker, within_s=30 if dies else 2)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)


def test_a_worker_whose_parent_is_gone_before_it_enters_ends(jailer: Jailer) -> None:
    """The signal at the parent's death comes too late for it, so it looks."""
    answer = jailer.run("result = 1", jailer.settings(), parent=1)

    assert "gone" == answer.outcome
    assert "exit 70" == killed_by(answer.status)


@pytest.mark.parametrize(("off", "closed"), [("", True), ("undumpable", False)])
def test_other_workers_cannot_look_into_a_worker(off: str, closed: bool, ordinary: Jailer) -> None:
    """Workers of an ordinary user all have the same user id; without that layer its memory would be open."""
    code = f"""
reading, writing = os.pipe()
other = os.fork()
if other == 0:
    me = os.getppid()
    jail.enter_jail(jail.JailSettings(readable=(), off=frozenset({{{off!r}}})), me)
    os.write(writing, b'x')
    time.sleep(20)
os.read(reading, 1)
try:
    open(f'/proc/{{other}}/mem', 'rb').close()
finally:
    os.kill(other, 9)
"""
    answer = ordinary.run(code, settings=None)

    assert ("EACCES" if closed else "done") == answer.outcome


def test_the_trusted_side_can_close_its_memory(ordinary: Jailer) -> None:
    """As for the grader and the zygote, which know what a worker must not know."""
    code = """
kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
%s
child = os.fork()
if child == 0:
    try:
        open(f'/proc/{os.getppid()}/mem', 'rb')
    except OSError:
        os._exit(1)
    os._exit(0)
result = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""
    assert 0 == ordinary.run(code % "", settings=None).value
    assert 1 == ordinary.run(code % "jail.make_undumpable()", settings=None).value


def test_on_other_systems_closing_memory_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no such switch, and asking for it must not break."""
    from grader.sandbox.jail import make_undumpable

    monkeypatch.setattr(sys, "platform", "darwin")

    make_undumpable()

    monkeypatch.undo()
    assert Path("/proc/self/mem").open("rb").close() is None  # still dumpable: it was Linux all the time


def test_the_jail_needs_nothing_but_the_standard_library() -> None:
    """It is imported where torch must not be yet, and where pydantic is not wanted."""
    code = f"""
import sys
before = set(sys.modules)
sys.path.insert(0, {str(REPOSITORY)!r})
import grader.sandbox.jail
new = {{name.partition('.')[0] for name in set(sys.modules) - before}}
print(sorted(new - sys.stdlib_module_names - {{'grader'}}))
print(sorted(name for name in sys.modules if name.startswith('grader.') and not name.startswith('grader.sandbox')))
"""
    result = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)

    assert "[]\n[]\n" == result.stdout
