"""The untrusted end: load one learner's files and answer requests about them until the channel closes."""

import json
import os
import sys
import tempfile
import time
import types
from collections.abc import Callable
from typing import Any, NoReturn

import torch

from grader.sandbox.executor import Executor, accelerator, describe_error
from grader.sandbox.jail import JailSettings, PreparedJail, enter_jail
from grader.sandbox.namespace import LearnerFile, LearnerModules
from grader.sandbox.picture import figures_kept_in
from grader.sandbox.stand_ins import StandIn
from grader.sandbox.wire import MAX_REPLY, PREFIX, ProtocolError, pack_frame, unpack_frame, unpack_prefix, unpack_text

CHANNEL = 3
"""The descriptor of the socket to the trusted side."""
_CHUNK = 1 << 16
_LOADING_S = 1.0
"""Seconds for running a submission anew before each of its checks, all checks of an exercise together."""


def serve(settings: JailSettings, parent: int, prepared: PreparedJail | None = None) -> NoReturn:
    """
    Enter the jail, say which layers took hold, then answer requests; never returns.

    Args:
        settings: What the worker may use.
        parent: The process that must be alive: without it the worker ends.
        prepared: What that process has made ready for the jail.
    """
    # Nothing can be written in the jail. The modules behind torch.compile, which checkpoints import, too, only ask for
    # folders to write to later; but Python would look for one by writing, and torch make another.
    tempfile.tempdir = settings.working_directory
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = settings.working_directory
    # What torch.compile would write and run is refused, too; the code means the same without it.
    os.environ["TORCHDYNAMO_DISABLE"] = "1"
    report = enter_jail(settings, parent, prepared)
    reopen_streams()
    hello = {
        "layers": list(report.layers),
        "missing": list(report.missing),
        "level": report.level,
        "torch": torch.__version__,
        "accelerator": accelerator().type,
    }
    # Sent before any learner's code exists in this process, so it is the one message that is no mere claim.
    _write(pack_frame({"id": 0, "reply": hello}))
    executor: Executor | None = None
    inbox = _Inbox()
    while True:
        message = inbox.read()
        request = message["request"]
        if request["op"] == "load":
            executor, reply = _load(request)
        else:
            assert executor is not None  # the trusted side loads first
            reply = executor.perform(request)
        _flush()
        _write(_pack_reply(message["id"], reply))


def reopen_streams() -> None:
    """Give Python fresh standard streams on the descriptors that the worker was started with."""
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - lives as long as the process
    sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115


def _load(request: dict[str, Any]) -> tuple[Executor | None, dict[str, Any]]:
    submission = json.loads(unpack_text(request["submission"]))
    modules = LearnerModules(
        [
            LearnerFile(path, is_notebook, tuple((label, text) for label, text in cells))
            for path, is_notebook, cells in submission["files"]
        ],
        submission["exercises"],
        [StandIn(exercise, tuple(names), text) for exercise, names, text in submission["stand_ins"]],
        submission["own_names"],
        {(path, name) for path, name in submission["unsearched"]},
    )
    modules.install()
    entry = submission["entry"]

    def load(run: Callable[[str], types.ModuleType]) -> types.ModuleType:
        with figures_kept_in():  # whoever draws at import is not there to look
            return run(entry)

    started = time.perf_counter()
    try:
        namespace = load(modules.load)
    except BaseException as error:  # noqa: BLE001 - a submission may raise anything at import
        return None, {"ok": False, **describe_error(error, modules), "notes": modules.notes}
    names = [name for name in vars(namespace) if not name.startswith("_")]
    # What takes long to load is loaded once.
    load_again = (lambda: load(modules.load_again)) if time.perf_counter() - started < _LOADING_S else None
    return Executor(namespace, modules, load_again, _LOADING_S), {
        "ok": True,
        "names": names[:500],
        "notes": modules.notes,
    }


def _pack_reply(number: int, reply: dict[str, Any]) -> bytes:
    try:
        return pack_frame({"id": number, "reply": reply}, most=MAX_REPLY)
    except (ProtocolError, RuntimeError, MemoryError) as error:
        failure = {
            "ok": False,
            "kind": "raised",
            "type": type(error).__name__,
            "message": str(error)[:200],
            "frames": [],
        }
        return pack_frame({"id": number, "reply": failure})


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # closed or replaced by the learner's code
            continue


class _Inbox:
    """Reads frames from the channel."""

    def __init__(self) -> None:
        self._received = bytearray()

    def read(self) -> Any:
        """Return the next frame's value; the process ends when the trusted side is done with it."""
        header_length, payload_length = unpack_prefix(self._take(PREFIX.size))
        return unpack_frame(self._take(header_length), self._take(payload_length), keep_strides=True)

    def _take(self, length: int) -> bytes:
        while len(self._received) < length:
            chunk = os.read(CHANNEL, max(_CHUNK, length - len(self._received)))
            if not chunk:
                os._exit(0)
            self._received += chunk
        data = bytes(self._received[:length])
        del self._received[:length]
        return data


def _write(frame: bytes) -> None:
    rest = memoryview(frame)
    while rest:
        rest = rest[os.write(CHANNEL, rest) :]
