"""Nothing that a worker started is left, however it tried to get away."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from test_jail_lifetime import START, dies_soon, lives

from grader.sandbox.jail import descendants, kill_everything
from grader.sandbox.jail.user import uid_of_worker

ESCAPES = {
    "stays": "",
    "leaves the group": "os.setpgid(0, 0)",
    "leaves the session": "os.setsid()",
    "ignores every signal": "[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 3, 15, 17, 18)]; os.setsid()",
    "has a name that reads like the end of another": "import ctypes; ctypes.CDLL(None).prctl(15, b') Z 1 1 1 (')",
    "stops itself": "os.setsid(); os.kill(os.getpid(), signal.SIGSTOP)",
}
FAMILY = """
os.setsid()
def child():
    %s
    while True: time.sleep(1)
for depth in range(3):
    if (pid := os.fork()) == 0:
        if (grandchild := os.fork()) == 0:
            say(os.getpid())
            child()
        say(os.getpid())
        child()
say(os.getpid())
while True: time.sleep(1)
"""


def start(code: str) -> subprocess.Popen[str]:
    """Start a Python that knows the jail."""
    return subprocess.Popen([sys.executable, "-c", START + code], stdout=subprocess.PIPE, text=True)


@pytest.fixture
def started() -> Iterator[list[int]]:
    """Remember processes, and end them if the code under test did not."""
    pids: list[int] = []
    yield pids
    for pid in pids:
        if lives(pid):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("escape", ESCAPES)
def test_a_whole_family_is_killed(escape: str, started: list[int]) -> None:
    """Three children and three grandchildren, each trying the same way out."""
    worker = start(FAMILY % ESCAPES[escape])
    started += [int(worker.stdout.readline()) for _ in range(7)]
    time.sleep(0.05)

    left = kill_everything(worker.pid)

    assert () == left
    assert [] == [pid for pid in started if lives(pid)]
    worker.stdout.close()
    worker.wait()


@pytest.mark.parametrize("escape", ["pass", "os.setpgid(0, 0)"], ids=["the group", "the session"])
def test_what_a_dead_worker_leaves_behind_is_killed(escape: str, started: list[int]) -> None:
    """Its children belong to somebody else then; until it is waited for its number still marks group and session."""
    worker = start(f"""
os.setsid()
for _ in range(3):
    if os.fork() == 0:
        {escape}
        say(os.getpid())
        time.sleep(60)
""")
    started += [int(worker.stdout.readline()) for _ in range(3)]
    while lives(worker.pid):
        time.sleep(0.01)

    left = kill_everything(worker.pid)

    assert () == left
    assert [] == [pid for pid in started if lives(pid)]
    worker.stdout.close()
    worker.wait()


def test_a_family_that_keeps_growing_is_killed(started: list[int]) -> None:
    """Each process starts the next and dies, in a session of its own: only stopping it first catches it."""
    chain = """
os.setsid()
say(os.getpid())
end = time.monotonic() + 15
def grow():
    while time.monotonic() < end:
        if os.fork() == 0:
            os.setpgid(0, 0)
            time.sleep(0.01)
            os._exit(0)
        time.sleep(0.001)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]: pass
        except ChildProcessError: pass
    os._exit(0)
for _ in range(2):
    if os.fork() == 0:
        say(os.getpid())
        grow()
grow()
"""
    worker = start(chain)
    started += [int(worker.stdout.readline()) for _ in range(3)]
    time.sleep(0.2)

    left = kill_everything(worker.pid)

    assert () == left
    assert [] == [pid for pid in started if lives(pid)]
    assert [] == [pid for pid, its in descendants._processes().items() if its.session == worker.pid and lives(pid)]
    worker.stdout.close()
    worker.wait()


def test_nobody_can_start_more_while_their_children_are_looked_for(
    monkeypatch: pytest.MonkeyPatch, started: list[int]
) -> None:
    """Each process is stopped before the search; otherwise a child born after it would get away."""
    worker = start(FAMILY % "")
    started += [int(worker.stdout.readline()) for _ in range(7)]
    look = descendants._belonging_to
    seen = []

    def look_at_stopped(pid: int, known: set[int]) -> set[int]:
        for each in known:
            deadline = time.monotonic() + 60
            while descendants._read_stat(each).state != "T" and time.monotonic() < deadline:
                time.sleep(0.001)
            seen.append(descendants._read_stat(each).state)
        return look(pid, known)

    monkeypatch.setattr(descendants, "_belonging_to", look_at_stopped)

    kill_everything(worker.pid)

    assert len(seen) >= 7
    assert {"T"} == set(seen)
    worker.stdout.close()
    worker.wait()


def test_a_daemon_comes_to_light_as_an_orphan_and_is_killed(started: list[int]) -> None:
    """Two forks, two sessions, the middle one dead: its new parent is the process that adopts orphans."""
    adopting = """
from grader.sandbox.jail import adopt_orphans, kill_everything, kill_orphans
adopt_orphans()
def sleeper(detached):
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if detached:
            if os.fork():
                os._exit(0)
            os.setsid()
            say(os.getpid())
        time.sleep(60)
    return pid
kept, worker = sleeper(False), sleeper(True)
time.sleep(0.3)
kill_everything(worker)
os.waitpid(worker, 0)
say("killed", *kill_orphans(keep=(kept,)))
say("again", *kill_orphans(keep=(kept,)))
say("kept", kept)
time.sleep(60)
"""
    process = start(adopting)
    started.append(process.pid)
    daemon = int(process.stdout.readline())
    started.append(daemon)

    answers = [process.stdout.readline().split() for _ in range(3)]

    started.append(int(answers[2][1]))
    assert [["killed", str(daemon)], ["again"]] == answers[:2]
    assert dies_soon(daemon)
    assert lives(int(answers[2][1]))
    process.kill()
    process.stdout.close()
    process.wait()


def test_everything_of_the_workers_own_user_is_killed(started: list[int]) -> None:
    """Where a worker has a user of its own, no way of detaching hides a process."""
    if os.getuid() != 0:
        pytest.skip("only root can give a worker a user of its own")
    detaching = f"""
os.setsid()
user = {uid_of_worker(0)} + os.getpid()
os.setresuid(user, user, user)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.setsid()
    say(os.getpid())
    time.sleep(60)
os.wait()
time.sleep(60)
"""
    worker = start(detaching)
    daemon = int(worker.stdout.readline())
    started.append(daemon)
    time.sleep(0.1)

    kill_everything(worker.pid)

    assert not lives(daemon)
    worker.stdout.close()
    worker.wait()


def test_a_process_beside_it_is_left_alone(started: list[int]) -> None:
    """Killing too much would be worse than killing too little."""
    bystander, worker = start("say(1)\ntime.sleep(60)"), start("os.setsid()\nsay(1)\ntime.sleep(60)")
    started += [bystander.pid, worker.pid]
    for process in (bystander, worker):
        process.stdout.readline()

    kill_everything(worker.pid)

    assert lives(bystander.pid)
    for process in (bystander, worker):
        process.kill()
        process.stdout.close()
        process.wait()


@pytest.mark.parametrize("pid", [0, 1, -1, os.getpid()], ids=["own group", "init", "everybody", "itself"])
def test_the_caller_and_the_world_are_no_worker(pid: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """These numbers mean groups, everybody or oneself to the kernel. Nothing is sent here even if the check is gone."""
    monkeypatch.setattr(descendants.os, "kill", lambda *_: None)
    monkeypatch.setattr(descendants.os, "killpg", lambda *_: None)

    with pytest.raises(ValueError, match=f"expected the process id of a worker, got {pid}"):
        kill_everything(pid, limit_s=0)


def test_the_first_process_the_caller_and_its_parent_are_never_among_the_found() -> None:
    """Whatever a search comes up with, the grader does not kill itself or the system."""
    everything = set(descendants._processes())

    found = descendants._belonging_to(os.getppid(), everything)

    assert set() == found & {1, os.getpid(), os.getppid()}


def test_where_there_is_no_proc_the_listing_tool_is_asked(monkeypatch: pytest.MonkeyPatch, started: list[int]) -> None:
    """As on macOS; a family that stays in its group or tree is found there too."""
    if not os.path.exists("/bin/ps"):
        pytest.skip("there is no /bin/ps")
    worker = start(FAMILY % "os.setpgid(0, 0)")
    started += [int(worker.stdout.readline()) for _ in range(7)]
    time.sleep(0.05)
    monkeypatch.setattr(descendants, "_has_proc", lambda: False)

    left = kill_everything(worker.pid)

    assert () == left
    assert [] == [pid for pid in started if lives(pid)]
    worker.stdout.close()
    worker.wait()


def test_a_confined_worker_is_killed_without_looking_around(
    monkeypatch: pytest.MonkeyPatch, started: list[int]
) -> None:
    """One that can start nothing needs no search through all processes of the machine."""
    worker = start("os.setsid()\nsay(1)\ntime.sleep(60)")
    started.append(worker.pid)
    worker.stdout.readline()
    looked = []
    monkeypatch.setattr(descendants, "_belonging_to", lambda *_: looked.append(1) or set())

    left = kill_everything(worker.pid, confined=True)

    assert () == left
    assert not lives(worker.pid)
    assert [] == looked
    worker.stdout.close()
    worker.wait()


def test_a_group_dies_even_if_its_worker_was_wrongly_called_confined(started: list[int]) -> None:
    """The group needs no search."""
    worker = start(FAMILY % "")
    started += [int(worker.stdout.readline()) for _ in range(7)]

    kill_everything(worker.pid, confined=True)

    assert all(dies_soon(pid) for pid in started)
    worker.stdout.close()
    worker.wait()


def test_a_dead_and_forgotten_worker_is_no_error() -> None:
    """It may have ended by itself."""
    worker = start("pass")
    worker.stdout.close()
    worker.wait()

    assert () == kill_everything(worker.pid)
