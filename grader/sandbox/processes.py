"""Start workers, ask them under a deadline, and make sure that nothing of them is left."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from grader.model.errors import RunnerError
from grader.model.report import Isolation
from grader.model.rubric import Limits
from grader.model.verdict import Verdict
from grader.sandbox.budget import MOST_STARVED, starved_s
from grader.sandbox.channel import Channel, ChannelClosedError, ChannelTimeoutError
from grader.sandbox.jail import JailSettings, kill_everything
from grader.sandbox.launch import clean_environment, python_command
from grader.sandbox.problems import LearnerProblem
from grader.sandbox.wire import ProtocolError, pack_frame
from grader.sandbox.zygote import Zygote

_START_S: Final = 60.0
"""How long a worker may take to say hello: importing torch on a slow disk is in it."""

StartMethod = Literal["fork", "spawn"]


@dataclass(frozen=True)
class Usage:
    """What the kernel says that a worker used; a worker cannot understate it."""

    status: int
    peak_mb: int
    cpu_s: float


class Sandbox(Protocol):
    """Something that starts workers."""

    start_method: StartMethod
    gradients_survive_forks: bool
    """Whether a process that has computed gradients may be forked (`autograd_forks`); known once it is ready."""

    def start_worker(self, settings: JailSettings, limits: Limits, preload: Sequence[str] = ()) -> "Worker":
        """Start one worker; it has said hello when this returns."""
        ...

    def wait_until_ready(self) -> None:
        """Wait until workers can be started; before a fork that starts some, since it says so only once."""
        ...

    def reap(self, pid: int, *, confined: bool) -> Usage:
        """Wait for a worker that was killed; unless it was confined, look for what it may have left behind."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class Worker:
    """The trusted end of one worker. All that it says after its hello is a claim."""

    def __init__(self, sandbox: Sandbox, pid: int, channel: Channel) -> None:
        self._sandbox = sandbox
        self._channel = channel
        self._asked = 0
        self._confined = False
        self.pid = pid
        self.usage: Usage | None = None
        self._starved_s = 0.0
        try:
            hello = channel.receive(time.monotonic() + _START_S)["reply"]
        except (ChannelClosedError, ChannelTimeoutError, ProtocolError) as error:
            self.close()
            printed = bytes(channel.printed).decode("utf-8", "replace").strip()
            raise RunnerError(f"a worker did not start: {type(error).__name__}. It printed: {printed[-600:]}") from None
        # What a worker with the system call filter could have started is nothing, so nothing need be searched for.
        self._confined = "seccomp" in hello["layers"]
        self.accelerator: str = hello["accelerator"]
        self.isolation = Isolation(
            level=hello["level"],
            start_method=sandbox.start_method,
            layers=tuple(hello["layers"]),
            missing=tuple(hello["missing"]),
        )

    @property
    def printed(self) -> tuple[str, int]:
        """What the worker printed, and how many bytes more it printed."""
        return bytes(self._channel.printed).decode("utf-8", "replace"), self._channel.dropped

    @property
    def starved_s(self) -> float:
        """How long it has waited for a processor that others had."""
        return starved_s(self.pid) if self.usage is None else self._starved_s

    def ask(self, request: dict[str, Any], limit_s: float) -> dict[str, Any]:
        """
        Send a request and return the reply.

        The limit is for the code, and not for the machine: what the process waited for a processor that others had
        comes on top, up to three times the limit.

        Raises:
            LearnerProblem: If no proper answer came in time. The worker is gone then.
        """
        self._asked += 1
        self._channel.starved_s = lambda: min(starved_s(self.pid), MOST_STARVED * limit_s)
        deadline = time.monotonic() + limit_s
        try:
            self._channel.send(pack_frame({"id": self._asked, "request": request}, keep_strides=True), deadline)
            return self._check_reply(self._channel.receive(deadline))
        except ChannelTimeoutError:
            self.close()
            raise LearnerProblem(Verdict.TIMED_OUT, f"Your code did not finish within {limit_s:g} s.") from None
        except ChannelClosedError:
            self.close()
            raise LearnerProblem(Verdict.CRASHED, self._describe_end(), perhaps_killed=self._is_killed()) from None
        except ProtocolError as error:
            self.close()
            rationale = f"Your code disturbed the conversation with the grader ({error})."
            raise LearnerProblem(Verdict.CRASHED, rationale, type_name="ProtocolError") from None

    def mute(self) -> None:
        """Forget what it prints from now on."""
        self._channel.mute()

    def close(self) -> Usage:
        """Kill the worker and all that it started, and wait until it is gone."""
        if self.usage is None:
            self._starved_s = starved_s(self.pid)
            kill_everything(self.pid, confined=self._confined)
            self.usage = self._sandbox.reap(self.pid, confined=self._confined)
            self._channel.close()
        return self.usage

    def _check_reply(self, message: Any) -> dict[str, Any]:
        if type(message) is not dict or message.keys() != {"id", "reply"} or message["id"] != self._asked:
            raise ProtocolError("an answer to another question")
        reply = message["reply"]
        if type(reply) is not dict or type(reply.get("ok")) is not bool:
            raise ProtocolError("an answer without a result")
        return reply

    def _is_killed(self) -> bool:
        """It is killed once its channel is closed, so this says only that it did not end itself."""
        assert self.usage is not None
        return os.WIFSIGNALED(self.usage.status) and os.WTERMSIG(self.usage.status) == signal.SIGKILL

    def _describe_end(self) -> str:
        assert self.usage is not None
        status = self.usage.status
        if self._is_killed():
            return "Your code closed the connection to the grader or was killed, most likely for the memory it used."
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            reason = {signal.SIGXCPU: "it used too much processor time", signal.SIGSEGV: "an invalid memory access"}
            return f"The process of your code died: {reason.get(signal.Signals(number), signal.Signals(number).name)}."
        return "The process of your code ended by itself (exit or os._exit), so there was no answer."


def fork_sandboxes(zygote: Zygote) -> "list[ForkSandbox]":
    """Return a sandbox for each process that will ask this zygote for workers; the first is to be closed last."""
    return [ForkSandbox(control, zygote.pid if not lane else None) for lane, control in enumerate(zygote.controls)]


class ForkSandbox:
    """
    Workers forked from a zygote that was itself forked before anything hidden was loaded.

    Args:
        control: Socket to the zygote.
        pid: The zygote, if it is to be waited for at the end.
    """

    start_method: StartMethod = "fork"

    def __init__(self, control: socket.socket, pid: int | None) -> None:
        control.settimeout(_START_S)
        self._pid = pid
        self._control = control
        self._lines = control.makefile("rb")
        self._ready = False
        self.gradients_survive_forks = False

    def start_worker(self, settings: JailSettings, limits: Limits, preload: Sequence[str] = ()) -> Worker:
        """Start one worker in a few milliseconds."""
        self.wait_until_ready()
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        request = {"op": "spawn", "settings": settings.to_json(), "preload": list(preload)}
        try:
            socket.send_fds(self._control, [json.dumps(request).encode() + b"\n"], [theirs.fileno(), writing])
            pid = self._answer()["pid"]
        except OSError as error:
            raise RunnerError(f"the process that starts workers is gone ({error})") from None
        finally:
            theirs.close()
            os.close(writing)
        return Worker(self, pid, Channel(ours, reading, limits.output_kb << 10))

    def wait_until_ready(self) -> None:
        """Wait until the zygote has warmed up, which it does while the trusted side reads its suites."""
        if not self._ready:
            self.gradients_survive_forks = self._answer()["gradients_survive_forks"]
            self._ready = True

    def reap(self, pid: int, *, confined: bool) -> Usage:
        """Wait for a worker that was killed."""
        self._control.sendall(json.dumps({"op": "reap", "pid": pid, "confined": confined}).encode() + b"\n")
        return Usage(**self._answer())

    def close(self) -> None:
        """Say that no more workers are needed here, and wait for the zygote if nobody else needs any."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._lines.close()
        self._control.close()
        if self._pid is not None:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._pid, 0)

    def _answer(self) -> dict[str, Any]:
        line = self._lines.readline()
        if not line:
            raise RunnerError("the process that starts workers is gone")
        answer: dict[str, Any] = json.loads(line)
        return answer


@dataclass
class _Spawned:
    """A process that imports torch, and becomes a worker when it is told its settings."""

    process: subprocess.Popen[bytes]
    connection: socket.socket
    output: int


class SpawnSandbox:
    """
    Workers started as plain processes, where fork is not safe.

    Each imports torch anew, which takes seconds; so the next one is started while this one works.
    """

    start_method: StartMethod = "spawn"
    gradients_survive_forks = False

    def __init__(self) -> None:
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._next: _Spawned | None = None

    def start_worker(self, settings: JailSettings, limits: Limits, preload: Sequence[str] = ()) -> Worker:
        """Start one worker; in a second or two, or at once if it was made ready meanwhile."""
        spawned = self._next or self._spawn()
        self._next = self._spawn()
        request = {"settings": settings.to_json(), "preload": list(preload)}
        assert spawned.process.stdin is not None
        try:
            spawned.process.stdin.write(json.dumps(request).encode() + b"\n")
            spawned.process.stdin.close()
        except BrokenPipeError:
            pass  # it has ended, and the missing hello will be reported with what it printed
        channel = Channel(spawned.connection, spawned.output, limits.output_kb << 10)
        return Worker(self, spawned.process.pid, channel)

    def wait_until_ready(self) -> None:
        """Do nothing: each worker says for itself when it is ready."""

    def reap(self, pid: int, *, confined: bool) -> Usage:
        """Wait for a worker that was killed."""
        del confined  # it was a child of this process, which adopts nothing
        process = self._processes.pop(pid)
        _, status, usage = os.wait4(pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        # Kilobytes on Linux, bytes on macOS.
        peak = usage.ru_maxrss >> (20 if sys.platform == "darwin" else 10)
        return Usage(status, peak, usage.ru_utime + usage.ru_stime)

    def close(self) -> None:
        """End what is left."""
        for pid in list(self._processes):
            kill_everything(pid)
            self.reap(pid, confined=False)
        if self._next is not None:
            assert self._next.process.stdin is not None
            self._next.process.stdin.close()
            self._next.connection.close()
            os.close(self._next.output)
            self._next = None

    def _spawn(self) -> _Spawned:
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [*python_command(), "-m", "grader.sandbox.spawned", str(theirs.fileno())],
            stdin=subprocess.PIPE,
            stdout=writing,
            stderr=writing,
            pass_fds=[theirs.fileno()],
            env=clean_environment(),
            cwd="/",
        )
        theirs.close()
        os.close(writing)
        self._processes[process.pid] = process
        return _Spawned(process, ours, reading)
