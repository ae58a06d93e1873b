"""
Fork a child for each request, lock it in, run a piece of code in it, and say what became of it.

Started by the fixtures as ``python jail_host.py REPOSITORY UID [MODULE ...]``; speaks JSON lines. It becomes the user
UID only after it has imported all that the pieces of code use, because that user may be unable to read the interpreter.
"""

import contextlib
import ctypes
import errno
import fcntl
import json
import mmap
import os
import platform
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback

sys.path.insert(0, sys.argv[1])

import importlib

from grader.sandbox import jail
from grader.sandbox.jail import entering, kernel, landlock, syscalls, user

CALLS = syscalls.EXAMINED | syscalls.REFUSED


def call(name, *arguments):
    """Make a system call by name."""
    number = CALLS[name][kernel.architecture()]
    if number is None:
        raise NotImplementedError(name)
    return kernel.system_call(number, *arguments)


class Host:
    """The process that forks; it also offers victims for what the code attempts."""

    def __init__(self):
        self.secret = ctypes.create_string_buffer(b"a secret of another process")
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(b"\0jail-host-%d" % os.getpid())
        self.abstract.listen()
        self.victim = self.fork(self.be_a_victim)

    def be_a_victim(self):
        """Wait, as a process that others of the same user may trace."""
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
        with contextlib.suppress(OSError):  # where Yama restricts tracing: everybody may trace this one
            kernel.prctl(0x59616D61, (1 << 64) - 1)
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        while True:
            signal.pause()

    def fork(self, work):
        """Run a function in a child."""
        pid = os.fork()
        if pid == 0:
            try:
                work()
            except BaseException:  # noqa: BLE001 - the child must not go on as if it were the host
                traceback.print_exc()
            finally:
                os._exit(70)
        return pid

    def answer(self, request):
        """Run a request's code in a child and tell what the child said and how it ended."""
        reading, writing = os.pipe()
        parent = os.getpid()
        prepared = None
        if request.get("prepare"):
            prepared = jail.PreparedJail(jail.JailSettings.from_json(request["settings"]))
        pid = self.fork(lambda: self.child(request, parent, writing, prepared))
        os.close(writing)
        if prepared is not None:
            prepared.close()
        lines, late = self.read(reading, request.get("limit_s", 120))
        if late:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        os.close(reading)
        answer = {"report": None, "outcome": "gone", "value": None, "late": late, "status": status}
        for line in lines.splitlines():
            answer |= json.loads(line)
        return answer

    def read(self, reading, limit_s):
        """Read all that comes, and say whether it took too long."""
        lines, deadline = b"", time.monotonic() + limit_s
        while select.select([reading], [], [], max(0, deadline - time.monotonic()))[0]:
            data = os.read(reading, 1 << 16)
            if not data:
                return lines, False
            lines += data
        return lines, True

    def child(self, request, parent, writing, prepared):
        """Enter the jail if asked to, run the code, tell the outcome."""
        names = {
            **{module.__name__.rpartition(".")[2]: module for module in MODULES},
            "call": call,
            "arena": request["arena"],
            "victim": self.victim,
            "parent": parent,
            "port": self.tcp.getsockname()[1],
            "abstract": self.abstract.getsockname(),
            "secret_address": ctypes.addressof(self.secret),
        }
        exec(request.get("before", ""), names)
        if request["settings"] is not None:
            settings = jail.JailSettings.from_json(request["settings"])
            report = jail.enter_jail(settings, request.get("parent", parent), prepared)
            held = {"layers": report.layers, "missing": report.missing, "level": report.level}
            os.write(writing, json.dumps({"report": held}).encode() + b"\n")
        answer = {"outcome": "done"}
        try:
            exec(request["code"], names)
            answer["value"] = names.get("result")
        except OSError as error:
            answer["outcome"] = errno.errorcode.get(error.errno, str(error))
        except BaseException as error:  # noqa: BLE001 - whatever the code raises is its outcome
            answer["outcome"] = f"{type(error).__name__}: {error}"
        os.write(writing, json.dumps(answer).encode() + b"\n")
        os._exit(0)


MODULES = [
    ctypes,
    fcntl,
    mmap,
    os,
    platform,
    resource,
    select,
    signal,
    socket,
    struct,
    subprocess,
    sys,
    threading,
    time,
]
MODULES += [jail, entering, kernel, landlock, user, importlib]


def main():
    """Answer requests until the input ends."""
    MODULES.extend(importlib.import_module(name) for name in sys.argv[3:])
    uid = int(sys.argv[2])
    if uid != os.getuid():
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    host = Host()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(host.answer(json.loads(line))) + "\n")
        sys.stdout.flush()
    os.kill(host.victim, signal.SIGKILL)


if __name__ == "__main__":
    main()
