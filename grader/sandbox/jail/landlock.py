"""Let the worker read a list of files and folders, and nothing else on the disk."""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from typing import Final

from grader.sandbox.jail.kernel import PR_SET_NO_NEW_PRIVS, prctl, system_call

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION: Final = 1  # flag: tell the ABI instead of making a ruleset
_BENEATH: Final = 1  # rule type: a file, or a folder and what is beneath it
_QUIET: Final = 1  # flag: keep a learner's refused attempts out of the audit log

_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 2
_READ_DIR: Final = 1 << 3
_RIGHTS_BY_ABI: Final = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many file rights each ABI knows; from 5 on there are 16."""

_FIRST_THAT_GUARDS_TRUNCATION: Final = 3

_WRITABLE: Final = ("/dev/null",)
"""Code that silences its prints opens it for writing; nothing can be kept there."""


def landlock_abi(at_most: int | None = None) -> int:
    """
    Return the version of Landlock to use, at least 1.

    Raises:
        OSError: If this kernel has none, or has it turned off.
    """
    found = system_call(_CREATE_RULESET, None, 0, _VERSION)
    return found if at_most is None else min(found, at_most)


def guards_writing(abi: int) -> bool:
    """Say whether no file can be changed: the first two versions still let any be emptied; 0 means no Landlock."""
    return abi >= _FIRST_THAT_GUARDS_TRUNCATION


def make_ruleset(readable: Iterable[str], abi: int) -> int:
    """
    Return a descriptor of the rules that leave nothing but reading the given files.

    Execution is not among what is allowed, and loading a shared library is mere reading. Newer kernels also take
    away TCP (ABI 4), control of devices (5), and signals and abstract sockets to those outside (6). What no version
    covers: looking at a path's size, owner and times, and changing them on the user's own files.

    Args:
        readable: Files and folders with all beneath them; those that do not exist are left out.
        abi: As `landlock_abi` returned it.

    Raises:
        OSError: If the kernel refuses.
    """
    handled = (1 << _RIGHTS_BY_ABI.get(abi, 16)) - 1
    network, scopes = 0b11 if abi >= 4 else 0, 0b11 if abi >= 6 else 0
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    attributes = struct.pack("=QQQ", handled, network, scopes)[:size]
    ruleset = system_call(_CREATE_RULESET, ctypes.c_char_p(attributes), size, 0)
    try:
        for path in readable:
            _allow(ruleset, path, _READ_FILE | _READ_DIR)
        for path in _WRITABLE:
            _allow(ruleset, path, _READ_FILE | _WRITE_FILE)
    except BaseException:
        os.close(ruleset)
        raise
    return ruleset


def restrict_files(ruleset: int, abi: int) -> None:
    """
    Take away from this thread, for good, what a ruleset does not leave.

    Args:
        ruleset: As `make_ruleset` returned it, in this process or in the one that it was forked from.
        abi: The same as for the ruleset.

    Raises:
        OSError: If the kernel refuses.
    """
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    system_call(_RESTRICT_SELF, ruleset, _QUIET if abi >= 7 else 0)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # not there, or already out of reach: nothing to allow
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= ~_READ_DIR
        system_call(_ADD_RULE, ruleset, _BENEATH, ctypes.c_char_p(struct.pack("=Qi", rights, descriptor)), 0)
    finally:
        os.close(descriptor)
