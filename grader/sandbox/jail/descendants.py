"""End a process with everything that it started, also what tried to get away."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from grader.sandbox.jail.user import uid_of_worker

_DEAD: Final = frozenset("ZX")
"""States of a process that has ended and waits for its parent to notice."""


@dataclass(frozen=True)
class _Relations:
    parent: int
    group: int
    session: int
    state: str


def kill_everything(pid: int, limit_s: float = 2.0, *, confined: bool = False) -> tuple[int, ...]:
    """
    Kill a worker, its process group, its session and all its descendants, and wait until they are dead.

    Each process is stopped before its children are looked for, so that none can start more meanwhile. Must be called
    before the worker is waited for, since its number may be another's afterwards. Where workers have a user of their
    own, every process of that user goes too. Otherwise a process that left the session and whose ancestors are dead
    is out of sight here: `adopt_orphans` and `kill_orphans` are for those.

    Args:
        pid: The worker. Alive, or dead and not yet waited for.
        limit_s: How long to wait for the kernel.
        confined: True if the worker has reported ``seccomp``: then it cannot have started anything, and looking
            through all processes of the machine is spared.

    Returns:
        Processes that were still alive after that; none, unless the kernel itself hangs.

    Raises:
        ValueError: If this is the caller itself or no single process.
    """
    if pid <= 1 or pid == os.getpid():
        raise ValueError(f"kill_everything: expected the process id of a worker, got {pid}")
    doomed: set[int] = set()
    found = {pid}
    while found:
        for each in found:
            _send(each, signal.SIGSTOP)
        doomed |= found
        found = set() if confined else _belonging_to(pid, doomed) - doomed
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    for each in doomed:
        _send(each, signal.SIGKILL)
    return _await_death(doomed, limit_s)


def adopt_orphans() -> None:
    """
    Make this process the new parent of every descendant whose parent dies; on systems other than Linux nothing happens.

    For the process that forks workers: what a worker detaches from itself then comes to light here.

    Raises:
        OSError: If the kernel refuses.
    """
    if sys.platform == "linux":
        from grader.sandbox.jail.kernel import PR_SET_CHILD_SUBREAPER, prctl

        prctl(PR_SET_CHILD_SUBREAPER, 1)


def kill_orphans(keep: Collection[int]) -> tuple[int, ...]:
    """
    Kill every child of this process that is not among those to keep, with everything it started, and wait for it.

    Args:
        keep: The children that are meant to live.

    Returns:
        The orphans that were killed, in order of their numbers.
    """
    killed: list[int] = []
    # The death of one may make its children ours.
    while orphans := sorted(pid for pid, its in _processes().items() if its.parent == os.getpid() and pid not in keep):
        for pid in orphans:
            kill_everything(pid)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        killed += orphans
    return tuple(killed)


def _belonging_to(pid: int, known: Collection[int]) -> set[int]:
    uid = uid_of_worker(pid)
    spared = (1, os.getpid(), os.getppid())
    of_this_user = os.geteuid() == 0 and _has_proc() and _real_uid(pid) == uid
    return {
        each
        for each, its in _processes().items()
        if each not in spared
        and its.state not in _DEAD
        and (pid in (its.group, its.session) or its.parent in known or (of_this_user and _real_uid(each) == uid))
    }


def _processes(pids: Iterable[int] | None = None) -> dict[int, _Relations]:
    """Return what there is of these processes, or of all."""
    if not _has_proc():
        return _ask_ps()
    found = {}
    for pid in pids if pids is not None else map(int, filter(str.isdigit, os.listdir("/proc"))):
        with contextlib.suppress(OSError):  # gone meanwhile
            found[pid] = _read_stat(pid)
    return found


def _has_proc() -> bool:
    return os.path.exists("/proc/self/stat")


def _read_stat(pid: int) -> _Relations:
    text = _read(f"/proc/{pid}/stat")
    # The program's name stands in brackets and may hold brackets and blanks of its own.
    state, parent, group, session = text[text.rindex(b")") + 2 :].split(maxsplit=4)[:4]
    return _Relations(int(parent), int(group), int(session), state.decode())


def _read(path: str) -> bytes:
    """Read a small file of /proc, of which there are many, without what makes files comfortable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 1 << 16)
    finally:
        os.close(descriptor)


def _ask_ps() -> dict[int, _Relations]:
    """Ask ``ps``, where there is no /proc. Sessions have no number there; their leader's group serves as well."""
    listing = subprocess.run(
        ["/bin/ps", "-A", "-o", "pid=,ppid=,pgid=,stat="], capture_output=True, check=True, encoding="utf-8"
    )
    found = {}
    for line in listing.stdout.splitlines():
        pid, parent, group, state = line.split(maxsplit=3)
        found[int(pid)] = _Relations(int(parent), int(group), int(group), state[:1])
    return found


def _real_uid(pid: int) -> int | None:
    try:
        return next(
            int(line.split()[1]) for line in _read(f"/proc/{pid}/status").splitlines() if line.startswith(b"Uid:")
        )
    except (OSError, StopIteration):
        return None


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _await_death(pids: Collection[int], limit_s: float) -> tuple[int, ...]:
    deadline = time.monotonic() + limit_s
    pause_s = 0.0002
    while (alive := _alive_among(pids)) and time.monotonic() < deadline:
        time.sleep(pause_s)
        pause_s = min(pause_s * 2, 0.02)
    return alive


def _alive_among(pids: Collection[int]) -> tuple[int, ...]:
    processes = _processes(pids)
    return tuple(sorted(pid for pid in pids if pid in processes and processes[pid].state not in _DEAD))
