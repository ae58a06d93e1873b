"""Refuse the system calls that a worker has no honest use for."""

import ctypes
import errno
import os
import struct
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from grader.sandbox.jail.kernel import PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, architecture, prctl
from grader.sandbox.jail.syscalls import EXAMINED, FIRST_COMMON, FIRST_UNKNOWN, FIRST_UNUSED, REFUSED

Instruction = tuple[int, int, int, int]
"""Operation, jump if true, jump if false, operand."""

# Operations of the kernel's classic packet filter, and the offsets of what it looks at.
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE = 0, 4

_ALLOW, _KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_PERMIT: Final[Instruction] = (_RETURN, 0, 0, _ALLOW)
_REFUSE: Final[Instruction] = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
_ABSENT: Final[Instruction] = (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)

_INSTRUCTION: Final = struct.Struct("=HBBI")

_AUDIT_ARCHITECTURE: Final = (0xC000003E, 0xC00000B7)
_FILTER_MODE: Final = 2

_CLONE_THREAD: Final = 0x00010000
_CLONE_NAMESPACES: Final = 0x7E020000
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | 0o20000000  # the last: an unnamed file
_PRCTL_ALLOWED: Final = (15, 16)  # set and get the name of a thread
# Duplicate, close-on-exec, status flags, size of a pipe. Not: owner and signal of a descriptor, by which the kernel
# sends a signal of one's choice to any process of the same user; leases; locks; notices of changes.
_FCNTL_ALLOWED: Final = (0, 1, 2, 3, 4, 1030, 1032)
# Is this a terminal, how large is it, how much can be read, non-blocking, close-on-exec. Not: typing into a terminal,
# owner of a descriptor, attributes of files.
_IOCTL_ALLOWED: Final = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)


def filter_system_calls(*, refuse_writing: bool) -> None:
    """
    Put the filter on this process, for good.

    Args:
        refuse_writing: Also refuse to open any file for writing, whatever its path. A filter cannot see paths, so this
            is for where Landlock does not watch over writing.

    Raises:
        OSError: If the kernel refuses, or the processor is one whose calls are not known here.
    """
    machine = architecture()
    code = _pack(_beginning(machine, os.getpid())) + pack_rest(machine, refuse_writing=refuse_writing)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(code) // _INSTRUCTION.size, ctypes.addressof(buffer))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_SECCOMP, _FILTER_MODE, ctypes.c_char_p(header))


def assemble(machine: int, pid: int, *, refuse_writing: bool) -> list[Instruction]:
    """
    Return the filter's program.

    Calls are refused by a list and not allowed by one, since what a Python, a C library and a torch of another year
    call cannot be known. The list is closed all the same: numbers newer than it do not exist for a worker.

    Args:
        machine: Place in `kernel.ARCHITECTURES`.
        pid: The only process that the worker may signal, itself.
        refuse_writing: As in `filter_system_calls`.
    """
    return [*_beginning(machine, pid), *_rest(machine, refuse_writing=refuse_writing)]


@cache
def pack_rest(machine: int, *, refuse_writing: bool) -> bytes:
    """Return the part of the program that is the same for every process: made once, by whoever forks them."""
    return _pack(_rest(machine, refuse_writing=refuse_writing))


def _pack(program: Iterable[Instruction]) -> bytes:
    return b"".join(_INSTRUCTION.pack(*instruction) for instruction in program)


def _beginning(machine: int, pid: int) -> list[Instruction]:
    only_itself = _only_these(0, [pid])
    return [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, _AUDIT_ARCHITECTURE[machine]),
        (_RETURN, 0, 0, _KILL_PROCESS),  # 32-bit calls have other numbers
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_AT_LEAST, 0, 1, FIRST_UNKNOWN),  # those of the x32 convention too
        _ABSENT,
        (_JUMP_AT_LEAST, 0, 2, FIRST_UNUSED[machine]),
        (_JUMP_AT_LEAST, 1, 0, FIRST_COMMON),
        _ABSENT,
        *_on("kill", machine, only_itself),
        *_on("tgkill", machine, only_itself),
    ]


def _rest(machine: int, *, refuse_writing: bool) -> list[Instruction]:
    program: list[Instruction] = []

    def on(name: str, *body: Instruction) -> None:
        program.extend(_on(name, machine, body))

    on("clone3", _ABSENT)  # its flags lie in memory, which a filter cannot see; C libraries fall back to clone
    on("openat2", _ABSENT)
    on(
        "clone",
        _load(0),
        (_JUMP_ANY_BIT, 0, 1, _CLONE_NAMESPACES),
        _REFUSE,
        (_JUMP_ANY_BIT, 0, 1, _CLONE_THREAD),
        _PERMIT,
        _REFUSE,
    )
    if refuse_writing:
        on("open", *_none_of_these(1, _WRITING))
        on("openat", *_none_of_these(2, _WRITING))
    # A new limit is the third argument, a pointer of two words: only null is let through, which reads the limits.
    on("prlimit64", _load(2), (_JUMP_EQUAL, 0, 3, 0), _load(2, high=True), (_JUMP_EQUAL, 0, 1, 0), _PERMIT, _REFUSE)
    on("prctl", *_only_these(0, _PRCTL_ALLOWED))
    on("fcntl", *_only_these(1, _FCNTL_ALLOWED))
    on("ioctl", *_only_these(1, _IOCTL_ALLOWED))
    for numbers in REFUSED.values():
        number = numbers[machine]
        if number is not None:
            program += [(_JUMP_EQUAL, 0, 1, number), _REFUSE]
    program.append(_PERMIT)
    return program


def _on(name: str, machine: int, body: Sequence[Instruction]) -> list[Instruction]:
    """Do this for a call, and go on with the next one's number otherwise."""
    number = EXAMINED[name][machine]
    return [] if number is None else [(_JUMP_EQUAL, 0, len(body), number), *body]


def _load(argument: int, *, high: bool = False) -> Instruction:
    """Load the low or the high word of an argument; both machines store the low word first."""
    return (_LOAD, 0, 0, 16 + 8 * argument + 4 * high)


def _only_these(argument: int, values: Iterable[int]) -> list[Instruction]:
    body = [_load(argument)]
    for value in values:
        body += [(_JUMP_EQUAL, 0, 1, value), _PERMIT]
    return [*body, _REFUSE]


def _none_of_these(argument: int, bits: int) -> list[Instruction]:
    return [_load(argument), (_JUMP_ANY_BIT, 0, 1, bits), _REFUSE, _PERMIT]
