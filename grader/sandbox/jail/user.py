"""Take root's powers from the worker: a user of its own, or at least no capability."""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from typing import Final

from grader.sandbox.jail.kernel import LIBC, PR_CAPBSET_DROP, architecture, system_call

OWN_UID: Final = "a user of its own"

_FIRST_UID: Final = 1_880_000_000
"""Above what systems give to people, services and containers, and with room for every process id."""
_CAPSET: Final = (126, 91)
_CAPABILITY_VERSION: Final = 0x20080522


def uid_of_worker(pid: int) -> int:
    """Return the user id that only the worker with this process id has, where workers have their own."""
    return _FIRST_UID + pid


def give_up_root(*, may_become_another: bool) -> str:
    """
    Give up all privileges, for good.

    A process of root becomes a user that owns nothing and is nobody else's. Where that user could not read what the
    worker needs (an interpreter under a home that is closed to others) or the system lacks such an id (some
    containers), it stays root without a single capability: an ordinary user, but the owner of root's files.

    Args:
        may_become_another: Whether a user that owns nothing can read what the worker needs (`open_to_everyone`).

    Returns:
        What it is now, in words.

    Raises:
        OSError: If the kernel refuses.
    """
    was_root = os.geteuid() == 0
    if was_root:
        for capability in range(64):  # numbers that the kernel does not know are refused, and that is all
            LIBC.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)
    became_another = was_root and may_become_another and _become(uid_of_worker(os.getpid()))
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    system_call(_CAPSET[architecture()], ctypes.c_char_p(header), ctypes.c_char_p(bytes(24)))
    if became_another:
        return OWN_UID
    return "root without capabilities" if was_root else "an ordinary user"


def open_to_everyone(paths: Iterable[str]) -> bool:
    """Say whether a user with no rights of its own can read all these paths; what does not exist does not matter."""
    return all(map(_open_to_everyone, paths))


def _become(uid: int) -> bool:
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    except OSError:  # a container that maps only some ids
        return False
    return True


def _open_to_everyone(path: str) -> bool:
    path = os.path.realpath(path)
    try:
        mode = os.stat(path).st_mode
        needed = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
        while mode & needed == needed:
            if path == os.sep:
                return True
            path, needed = os.path.dirname(path), stat.S_IXOTH
            mode = os.stat(path).st_mode
    except FileNotFoundError:
        return True
    return False
