"""Apply the layers of the jail to this process, in the order that lets each of them take hold."""

import os
import signal
import sys
from collections.abc import Callable
from typing import Final

from grader.sandbox.jail.kernel import (
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    prctl,
)
from grader.sandbox.jail.landlock import guards_writing
from grader.sandbox.jail.limits import limit_resources
from grader.sandbox.jail.preparing import PreparedJail
from grader.sandbox.jail.seccomp import filter_system_calls
from grader.sandbox.jail.settings import JailReport, JailSettings
from grader.sandbox.jail.user import OWN_UID, give_up_root

LAYERS: Final = (
    "session",
    "umask",
    "directory",
    "oom_score",
    "user",
    "limits",
    "parent_death",
    "undumpable",
    "no_new_privileges",
    "landlock",
    "seccomp",
)
"""The names of all layers, in the order in which they are applied."""

_LINUX_ONLY: Final = frozenset(LAYERS) - {"session", "umask", "directory", "limits"}


def enter_jail(settings: JailSettings, parent_pid: int, prepared: PreparedJail | None = None) -> JailReport:
    """
    Put this process into the jail, for good, before it runs anybody's code.

    Never raises: what the machine does not give is reported with its reason, and it is for the trusted side to refuse
    to go on. The process must have one thread, since some layers bind only the thread that asks for them. A worker
    whose parent is gone by now ends here.

    Args:
        settings: What the worker may use.
        parent_pid: The process that must be alive; when it dies the worker is killed.
        prepared: What this process's parent has made ready for such settings; made here if None.

    Returns:
        What is in force. ``files`` among its layers says that other files are out of reach, as tried from inside.
    """
    entering = _Entering(settings, parent_pid, prepared or PreparedJail(settings))
    layers, missing = [], []
    for name in LAYERS:
        if name in settings.off:
            missing.append(f"{name}: turned off")
            continue
        if name in _LINUX_ONLY and sys.platform != "linux":
            missing.append(f"{name}: only Linux has it")
            continue
        try:
            detail = entering.steps[name]()
        except Exception as error:  # noqa: BLE001 - a layer that fails is a layer that is missing
            missing.append(f"{name}: {error or type(error).__name__}")
        else:
            layers.append(f"{name}: {detail}" if detail else name)
    reason = entering.why_files_are_open()
    if reason:
        missing.append(f"files: {reason}")
    else:
        layers.append("files")
    if os.getppid() != parent_pid:
        os._exit(70)
    return JailReport(tuple(layers), tuple(missing))


class _Entering:
    """What the layers have to know of each other."""

    def __init__(self, settings: JailSettings, parent_pid: int, prepared: PreparedJail) -> None:
        self._settings = settings
        self._prepared = prepared
        self._parent_pid = parent_pid
        self._own_uid = False
        self._landlock_abi = 0
        self.steps: dict[str, Callable[[], str | None]] = {name: getattr(self, f"_{name}") for name in LAYERS}

    def why_files_are_open(self) -> str:
        """Say why other files are within reach; an empty text if they are not."""
        if not self._landlock_abi and not self._own_uid:
            return "neither Landlock nor a user of its own keeps the worker from other files"
        if not self._landlock_abi and not self._settings.hidden:
            return "without Landlock only named folders can be tried, and none was named"
        within_reach = [path for path in self._settings.hidden if self._can_read(path)]
        return f"{', '.join(within_reach)} can be read" if within_reach else ""

    def _can_read(self, path: str) -> bool:
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        except OSError:
            # A folder that cannot be listed may still let a known name through; Landlock has no such folders.
            return not self._landlock_abi and os.path.isdir(path) and os.access(path, os.X_OK)
        return True

    def _session(self) -> None:
        if os.getsid(0) != os.getpid():
            os.setsid()

    def _umask(self) -> None:
        os.umask(0o077)

    def _directory(self) -> None:
        os.chdir(self._settings.working_directory)

    def _oom_score(self) -> None:
        # /proc/self belongs to root while the process is not dumpable, which it inherits from the trusted side.
        prctl(PR_SET_DUMPABLE, 1)
        with open("/proc/self/oom_score_adj", "wb", buffering=0) as file:
            file.write(b"1000")

    def _user(self) -> str:
        detail = give_up_root(may_become_another=self._prepared.open_to_everyone)
        self._own_uid = detail == OWN_UID
        return detail

    def _limits(self) -> str:
        return limit_resources(self._settings, own_uid=self._own_uid)

    def _parent_death(self) -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # becoming another user would have undone it

    def _undumpable(self) -> None:
        prctl(PR_SET_DUMPABLE, 0)

    def _no_new_privileges(self) -> None:
        prctl(PR_SET_NO_NEW_PRIVS, 1)

    def _landlock(self) -> str:
        self._landlock_abi = self._prepared.take_landlock()
        return f"version {self._landlock_abi}"

    def _seccomp(self) -> None:
        filter_system_calls(refuse_writing=not guards_writing(self._landlock_abi))
