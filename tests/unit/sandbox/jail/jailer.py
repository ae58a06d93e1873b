"""Run pieces of code in jailed processes, as several kinds of user."""

import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.sandbox.jail import JailSettings, readable_paths
from grader.sandbox.jail.user import open_to_everyone

REPOSITORY = Path(__file__).parents[4]
NOBODY = 65534

Hosts = dict[tuple[int, str], subprocess.Popen[str]]
"""Running hosts by user and by what they have imported."""

USERS = ("an ordinary user", "root with a user per worker", "root under a closed home")


@functools.cache
def runtime() -> tuple[str, ...]:
    """Return what this interpreter's workers may read."""
    return readable_paths()


class Jailer:
    """
    Runs code as one kind of user, inside the jail or outside of it.

    Attributes:
        arena: A folder of this user's, with `hidden/secret.txt` and `readable/own.txt`, that is open to everybody.
        closed: A home that only its owner may enter, with an open folder `python` in it.
    """

    def __init__(self, process: subprocess.Popen[str], user: str, uid: int, arena: Path, closed: Path) -> None:
        self._process = process
        self.user, self.uid, self.arena, self.closed = user, uid, arena, closed

    def settings(self, **changes: Any) -> JailSettings:
        """Return settings that let this user read `readable/` and the runtime, and hide the rest of the arena."""
        readable = [path for path in runtime() if self.user != USERS[1] or open_to_everyone([path])]
        readable += [str(self.closed / "python")] if self.user == USERS[2] else []
        fields = {"readable": (*readable, str(self.arena / "readable")), "hidden": (str(self.arena / "hidden"),)}
        return JailSettings(**fields | changes)

    def run(self, code: str, settings: JailSettings | None, **more: Any) -> SimpleNamespace:
        """Run code; without settings outside the jail. `outcome` is "done", an errno's name or an exception."""
        request = {"code": code, "settings": settings and settings.to_json(), "arena": str(self.arena), **more}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return SimpleNamespace(**json.loads(self._process.stdout.readline()))

    def run_jailed(self, code: str, before: str = "", limit_s: float = 120, **changes: Any) -> SimpleNamespace:
        """Run code in the jail, and other code just before it is entered."""
        return self.run(code, self.settings(**changes), before=before, limit_s=limit_s)


def start_host(uid: int, *modules: str) -> subprocess.Popen[str]:
    """Start a host that becomes this user after it has imported these modules."""
    command = [sys.executable, str(Path(__file__).with_name("jail_host.py")), str(REPOSITORY), str(uid), *modules]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def stop_host(process: subprocess.Popen[str]) -> None:
    """Let a host end."""
    process.communicate(timeout=120)


def uid_of(user: str) -> int:
    """Return the uid that a kind of user has here; skip the test where this user cannot become one."""
    if os.getuid() == 0:
        return NOBODY if user == USERS[0] else 0
    if user != USERS[0]:
        pytest.skip("these tests do not run as root")
    return os.getuid()


def make_jailer(user: str, hosts: Hosts, *modules: str) -> Jailer:
    """Return a jailer with a fresh arena; its host is started once for all tests."""
    uid = uid_of(user)
    key = (uid, " ".join(modules))
    if key not in hosts:
        hosts[key] = start_host(uid, *modules)
    # Not pytest's own folder: that one is closed to other users, so nothing would be seen of the jail.
    folder = Path(tempfile.mkdtemp(prefix="jail-"))
    folder.chmod(0o755)
    arena, closed = folder / "arena", folder / "closed"
    for each in (arena, arena / "hidden", arena / "readable", arena / "readable" / "empty", closed):
        each.mkdir()
        each.chmod(0o700 if each == closed else 0o777)
        os.chown(each, uid, -1)
    (closed / "python").mkdir(mode=0o755)
    for path, text in (("hidden/secret.txt", "secret"), ("readable/own.txt", "own")):
        (arena / path).write_text(text)
        (arena / path).chmod(0o666)
        os.chown(arena / path, uid, -1)
    (arena / "readable" / "link").symlink_to(arena / "hidden" / "secret.txt")
    return Jailer(hosts[key], user, uid, arena, closed)


def remove_arena(jailer: Jailer) -> None:
    """Remove what a jailer's tests left."""
    (jailer.arena / "hidden").chmod(0o700)  # one attempt closes it
    shutil.rmtree(jailer.arena.parent)


def killed_by(status: int) -> str:
    """Return the name of the signal that ended a process, or its exit status."""
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
