"""Call the Linux kernel where Python has no function for it."""

import ctypes
import os
import platform
from typing import Any, Final

LIBC: Final = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_SET_SECCOMP: Final = 22
PR_CAPBSET_DROP: Final = 24
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38

ARCHITECTURES: Final = ("x86_64", "aarch64")
"""The processors whose system call numbers are known here."""


def architecture() -> int:
    """
    Return this machine's place in `ARCHITECTURES`.

    Raises:
        OSError: If it is none of them.
    """
    machine = platform.machine()
    if machine not in ARCHITECTURES:
        raise OSError(f"the system call numbers of {machine} are not known")
    return ARCHITECTURES.index(machine)


def system_call(number: int, *arguments: Any) -> int:
    """
    Call the kernel by number; whole numbers and None are passed as full machine words.

    Raises:
        OSError: If the kernel refuses.
    """
    words = [
        ctypes.c_long(argument or 0) if argument is None or isinstance(argument, int) else argument
        for argument in arguments
    ]
    return _check(LIBC.syscall(ctypes.c_long(number), *words))


def prctl(operation: int, value: int = 0, pointer: Any = None) -> int:
    """
    Change how the kernel treats this process.

    Raises:
        OSError: If the kernel refuses.
    """
    third = ctypes.c_ulong(0) if pointer is None else pointer
    return _check(LIBC.prctl(operation, ctypes.c_ulong(value), third, ctypes.c_ulong(0), ctypes.c_ulong(0)))


def advise_memory(address: int, length: int, advice: int) -> None:
    """
    Say how a part of this process's memory is used, or should lie.

    Args:
        address: Its first byte, at the beginning of a page.
        length: In bytes.
        advice: One of the kernel's ``MADV`` numbers.

    Raises:
        OSError: If the kernel refuses.
    """
    _check(LIBC.madvise(ctypes.c_void_p(address), ctypes.c_size_t(length), advice))


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
