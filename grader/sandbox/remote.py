"""Stand-ins for a learner's functions and modules: calling one sends tensors over and gets tensors back."""

import hashlib
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import torch

from grader.model.submission import LearnerFrame
from grader.model.verdict import Verdict
from grader.sandbox.picture import Picture, read_picture
from grader.sandbox.problems import CannotJudgeError, LearnerProblem, NotAssessedError
from grader.sandbox.wire import ActiveDevice, Handle, Opaque

Device = Literal["cpu", "pretend", "accelerator"]
Request = dict[str, Any]
Reply = dict[str, Any]
Ask = Callable[[Request, str], Reply]
"""Send a request about the promised name and return the reply; raises `LearnerProblem` if none came."""

_DEVICES: Final = frozenset({"cpu", "pretend", "accelerator"})
_MOST_KEPT: Final = 8 << 20
"""Bytes of a check's replies that are kept for diagnosis: a worker can send much more, and every check once more."""
_MODULE_FORWARD_MISSING: Final = 'is missing the required "forward" function'


@dataclass(frozen=True)
class Gradients:
    """Gradients of ``(output * along).sum()``; None where no gradient exists."""

    value: Any
    arguments: tuple[torch.Tensor | None, ...]
    """By position of the argument; None for arguments that were not differentiated by."""
    parameters: dict[str, torch.Tensor | None]


@dataclass(frozen=True)
class Observed:
    """What a call returned and did. All but the value is the worker's claim."""

    value: Any
    changed: frozenset[int]
    """Positions of the arguments that the call changed in place."""
    devices: tuple[str, ...]
    """Where each returned tensor was: ``cpu``, ``pretend`` or ``accelerator``."""


@dataclass(frozen=True)
class Unroll:
    """
    Many calls in one request, each with what the one before returned: a decoder that writes one token after another.

    Args:
        over: Positions of the arguments whose first axis is time: each call gets one slice of them.
        carry: By position of an argument, the output that takes its place in the next call.

    What is returned is what one call returns, with time as a new first axis.
    """

    over: tuple[int, ...]
    carry: Mapping[int, int]

    def pack(self) -> Request:
        """Return it as a part of a request."""
        return {"over": list(self.over), "carry": [list(pair) for pair in self.carry.items()]}


@dataclass
class Exchange:
    """One request and what came of it, kept for diagnosis."""

    request: Request
    reply: Reply | None
    """None when the worker gave no answer, or a larger one than is kept."""


@dataclass
class Conversation:
    """
    All that one check asks of the learner's code.

    Args:
        ask: Sends a request.
        seed: Decides the seeds of all calls.
        not_here: Devices that this machine does not have, each with the reason.
        training_s: Wall seconds that a check which trains may wait for answers, all of them together.
    """

    ask: Ask
    seed: int
    not_here: Mapping[Device, str] = field(default_factory=dict)
    training_s: float = math.inf
    exchanges: list[Exchange] = field(default_factory=list)
    """What was asked and answered, as long as nothing is trained."""
    made: tuple[Handle, Reply] | None = None
    """The module that was made last and its state then, as long as nothing has happened that could change it."""
    answered: bool = False
    """Whether the code has said anything."""
    _asked: int = 0
    _kept: int = 0
    _training: bool = False
    _waited_s: float = 0.0

    @property
    def next_seed(self) -> int:
        """The seed that the next call gets, if it is given no other."""
        return seed_of_call(self.seed, self._asked)

    def begin_training(self) -> None:
        """
        Keep no exchange of this check from now on, and none from before.

        A training has thousands of them, each with the numbers that the one before led to. To replay that on every
        known mistake would take minutes and say nothing that a single call does not say, so such a check is no evidence
        for a diagnosis.
        """
        self._training = True
        self.exchanges.clear()

    def request(self, request: Request, name: str) -> Reply:
        """Send one request; a reply that reports an error is raised as the `LearnerProblem` that it is."""
        if not self._asked:
            request = {**request, "begin": True}
        self._asked += 1
        if request["op"] != "configure" or "dtype" in request:
            self.made = None
        reply = self._ask_training(request, name) if self._training else self._ask_recorded(request, name)
        if not reply["ok"]:
            raise problem_from_reply(reply, name, request)
        return reply

    def _ask_recorded(self, request: Request, name: str) -> Reply:
        exchange = Exchange(request, None)
        self.exchanges.append(exchange)
        reply = self.ask(request, name)
        self.answered = True
        self._kept += _bytes_in(reply)
        if self._kept <= _MOST_KEPT:
            exchange.reply = reply
        return reply

    def _ask_training(self, request: Request, name: str) -> Reply:
        # Each call has a limit of its own; thousands that stay just below it would take the whole submission's time.
        if self._waited_s > self.training_s:
            raise LearnerProblem(
                Verdict.TIMED_OUT, f"Training with your code did not finish within {self.training_s:g} s."
            )
        started = time.monotonic()
        reply = self.ask(request, name)
        self._waited_s += time.monotonic() - started
        self.answered = True
        return reply

    def call(
        self,
        target: str | Handle,
        name: str,
        args: Sequence[Any],
        device: Device,
        gradients: Any = None,
        seed: int | None = None,
        unroll: Unroll | None = None,
        picture: Any = None,
    ) -> Reply:
        """Call a function or module, with a seed of its own unless one is given."""
        if device in self.not_here:
            raise NotAssessedError(self.not_here[device])
        seed = self.next_seed if seed is None else seed
        request: Request = {"op": "call", "target": target, "args": list(args), "seed": seed, "device": device}
        if unroll is not None:
            request["unroll"] = unroll.pack()
        if picture is not None:
            request["picture"] = picture
        reply = self.request({**request, "gradients": gradients}, name)
        if not {"value", "changed", "devices"} <= reply.keys():
            raise forged()
        if isinstance(reply["value"], Handle):
            self.made = reply["value"], reply
        return reply


def seed_of_call(seed: int, number: int) -> int:
    """
    Return the seed of a check's call.

    A digest, because code sees the seeds of its calls, and from them must learn neither the check's own, which says
    what is drawn next, nor which call this is.
    """
    return int.from_bytes(hashlib.sha256(b"%d %d" % (seed, number)).digest()[:4], "little") >> 1


class RemoteCallable:
    """A function or class of the learner, or a module made from one."""

    def __init__(self, conversation: Conversation, target: str | Handle, name: str, device: Device = "cpu") -> None:
        self._conversation = conversation
        self._target = target
        self._name = name
        self._device: Device = device

    def __call__(self, *args: Any) -> Any:
        """Call it with positional arguments and return what it returned."""
        return self._value(self._conversation.call(self._target, self._name, args, self._device))

    def observe(self, *args: Any) -> Observed:
        """Call it and also tell what it did to its arguments and where its results are."""
        reply = self._conversation.call(self._target, self._name, args, self._device)
        changed, devices = reply["changed"], reply["devices"]
        if type(changed) is not list or any(type(place) is not int or not 0 <= place < len(args) for place in changed):
            raise forged()
        if type(devices) is not list or any(type(device) is not str or device not in _DEVICES for device in devices):
            raise forged()
        return Observed(self._value(reply), frozenset(changed), tuple(devices))

    def gradients(
        self,
        *args: Any,
        along: torch.Tensor,
        of: int = 0,
        wrt: Collection[int] | None = None,
        seed: int | None = None,
        unroll: Unroll | None = None,
    ) -> Gradients:
        """
        Call it and differentiate ``(output * along).sum()``.

        Args:
            args: Positional arguments.
            along: Direction, of the output's shape.
            of: Which output, where a tuple is returned.
            wrt: Positions of the arguments to differentiate by; all floating-point tensors if None.
            seed: That of an earlier call, whose random numbers are to come once more; one of its own if None.
            unroll: Differentiate what many calls in turn return.
        """
        gradients = {"along": along, "of": of, "wrt": None if wrt is None else sorted(wrt)}
        reply = self._conversation.call(self._target, self._name, args, self._device, gradients, seed, unroll)
        found = reply.get("gradients")
        if type(found) is not dict or found.keys() != {"arguments", "parameters"}:
            raise forged()
        arguments, parameters = found["arguments"], found["parameters"]
        if type(arguments) is not list or type(parameters) is not dict or len(arguments) > len(args):
            raise forged()
        if any(gradient is not None and type(gradient) is not torch.Tensor for gradient in parameters.values()):
            raise forged()
        if not all(_is_gradient(gradient, argument) for gradient, argument in zip(arguments, args, strict=False)):
            raise forged()
        padding = [None] * (len(args) - len(arguments))
        return Gradients(self._value(reply), (*arguments, *padding), parameters)

    def unrolled(self, *args: Any, unroll: Unroll) -> Any:
        """Call it many times in turn, in one request; see `Unroll`."""
        return self._value(self._conversation.call(self._target, self._name, args, self._device, unroll=unroll))

    def picture(self, *args: Any, axes_at: int | None = None, in_graph: bool = False) -> Picture | None:
        """
        Call it, and return what it drew with matplotlib; None if nothing.

        Args:
            args: Positional arguments.
            axes_at: The position at which it is handed matplotlib axes, in addition to these.
            in_graph: Whether floating-point tensors require a gradient, as what comes out of a model does.
        """
        wanted = {"axes_at": axes_at, "in_graph": in_graph}
        reply = self._conversation.call(self._target, self._name, args, self._device, picture=wanted)
        try:
            return read_picture(reply["picture"])
        except (KeyError, ValueError):
            raise forged() from None

    def on(self, device: Device) -> "RemoteCallable":
        """Return the same, to be called with everything on another device."""
        return type(self)(self._conversation, self._target, self._name, device)

    def _value(self, reply: Reply) -> Any:
        value = reply["value"]
        if isinstance(value, Handle):
            return RemoteModule(self._conversation, value, self._name, self._device)
        return value


class RemoteModule(RemoteCallable):
    """A module of the learner that lives in the worker."""

    @property
    def name(self) -> str:
        """The promised name of its class."""
        return self._name

    @property
    def conversation(self) -> Conversation:
        """What is asked of it, with all else that the check asks."""
        return self._conversation

    def eval(self) -> "RemoteModule":
        """Switch it to evaluation mode."""
        return self._configure(train=False)

    def train(self) -> "RemoteModule":
        """Switch it to training mode."""
        return self._configure(train=True)

    def to(self, dtype: torch.dtype) -> "RemoteModule":
        """Convert its parameters and buffers."""
        return self._configure(dtype=str(dtype).removeprefix("torch."))

    def parameters(self) -> dict[str, torch.Tensor]:
        """Return copies of its parameters by name."""
        return self._state("parameters")

    def trainable(self) -> frozenset[str]:
        """Return the names of the parameters that require a gradient."""
        names = self._raw_state().get("trainable")
        if type(names) is not list or any(type(name) is not str for name in names):
            raise forged()
        return frozenset(names)

    def buffers(self) -> dict[str, torch.Tensor]:
        """Return copies of its buffers by name."""
        return self._state("buffers")

    def load(self, values: dict[str, torch.Tensor]) -> "RemoteModule":
        """Copy values into the parameters and buffers of these names."""
        self._conversation.request({"op": "set_state", "target": self._target, "values": values}, self._name)
        return self

    def _configure(self, **settings: Any) -> "RemoteModule":
        self._conversation.request({"op": "configure", "target": self._target, **settings}, self._name)
        return self

    def _raw_state(self, *, with_buffers: bool = False) -> Reply:
        made = self._conversation.made
        if made is not None and made[0] == self._target and not with_buffers:
            return made[1]
        return self._conversation.request({"op": "state", "target": self._target}, self._name)

    def _state(self, kind: str) -> dict[str, torch.Tensor]:
        found = self._raw_state(with_buffers=kind == "buffers").get(kind)
        if type(found) is not dict or any(type(value) is not torch.Tensor for value in found.values()):
            raise forged()
        return found


class RemoteLearner:
    """The learner's code, as a suite sees it: an attribute for each promised name."""

    device: Final = ActiveDevice()
    """The device that the call runs on, to be passed where a learner's function takes one."""

    def __init__(self, conversation: Conversation, device: Device = "cpu") -> None:
        self._conversation = conversation
        self._device: Device = device

    def __getattr__(self, name: str) -> RemoteCallable:
        if name.startswith("_"):
            raise AttributeError(name)
        return RemoteCallable(self._conversation, name, name, self._device)

    def forget(self) -> None:
        """Run the learner's files anew, as before each check: what earlier calls left behind is gone."""
        self._conversation.request({"op": "forget"}, "")

    def on(self, device: Device) -> "RemoteLearner":
        """Return the learner's code with every call on another device."""
        return RemoteLearner(self._conversation, device)


def problem_from_reply(reply: Reply, name: str, request: Request) -> LearnerProblem:
    """
    Turn a worker's report of an error into the problem that it is.

    Every field of the report is a claim, so no sentence for learners repeats its message.

    Args:
        reply: The report.
        name: The promised name, or the file, that was asked about.
        request: What was asked.

    Raises:
        CannotJudgeError: If a call on the pretend accelerator met something that cannot be judged there.
    """
    kind, type_name, message = (_text(reply.get(key)) for key in ("kind", "type", "message"))
    frames = _frames(reply.get("frames"))
    pretending = request.get("device") == "pretend"
    if kind == "todo" and frames and frames[-1].file != frames[0].file:
        rationale = f"`{name}` calls `{frames[-1].function}` of {frames[-1].file}, which is still to be written."
        return LearnerProblem(Verdict.RAISED, rationale, frames=frames)
    if kind == "todo":
        return LearnerProblem(Verdict.TODO, f"`{name}` is still to be written.", frames=frames)
    if kind == "missing":
        return LearnerProblem(Verdict.MISSING, f"`{_missing_part(message, name, request)}` is not there.")
    if kind == "unjudged" and not pretending:
        return forged()  # it would spare the code a judgement that this call can give
    if kind == "unjudged":
        raise CannotJudgeError(
            f"Not judged without a real accelerator: on the pretend one, your code raised {type_name}."
        )
    if kind == "device":
        where = f" (at {frames[-1].file}, line {frames[-1].line})" if frames else ""
        rationale = f"On an accelerator `{name}` would fail: it mixes tensors on the CPU with tensors there{where}."
        return LearnerProblem(Verdict.FAILED, rationale, type_name, message, frames)
    if kind == "refused" and pretending:
        where = f" (at {frames[-1].file}, line {frames[-1].line})" if frames else ""
        rationale = f"On an accelerator `{name}` would fail: your own code refuses tensors there{where}."
        return LearnerProblem(Verdict.FAILED, rationale, type_name, message, frames)
    if kind == "gradient":
        rationale = f"The gradient of `{name}` cannot be taken: its output has another shape than it should."
        return LearnerProblem(Verdict.FAILED, rationale, "gradient", message)
    if kind == "unroll":
        rationale = f"What `{name}` returns cannot be passed on to its next call."
        return LearnerProblem(Verdict.FAILED, rationale, "unroll", message)
    # Where a line of the learner's calls it, it is another module that has none.
    if type_name == "NotImplementedError" and _MODULE_FORWARD_MISSING in message and not frames:
        return LearnerProblem(Verdict.MISSING, f"`{name}.forward` is not there.")
    where = f" at {frames[-1].file}, line {frames[-1].line}" if frames else ""
    return LearnerProblem(Verdict.RAISED, f"Your code raised {type_name}{where}.", type_name, message, frames)


def _missing_part(message: str, name: str, request: Request) -> str:
    """Return which of the names that were asked for is not there, in the words of the request."""
    asked = request.get("values")
    parts = [part for part in asked if message.endswith(f".{part}")] if type(asked) is dict else []
    return f"{name}.{max(parts, key=len)}" if parts else name


def _text(value: Any) -> str:
    return value if type(value) is str else ""


def _frames(value: Any) -> tuple[LearnerFrame, ...]:
    frames = []
    for entry in value if type(value) is list else []:
        if type(entry) is not list or [type(part) for part in entry] != [str, int, str, str]:
            continue
        file, line, function, source = entry
        frames.append(LearnerFrame(file=file[:300], line=max(0, line), function=function[:100], source=source[:200]))
    return tuple(frames[:20])


def _bytes_in(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.nbytes
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return 0
    return sum(map(_bytes_in, value))


def _is_gradient(value: Any, of: Any) -> bool:
    """Whether a worker's code that differentiated by ``of`` can have got this value."""
    if value is None:
        return True
    return (
        isinstance(of, torch.Tensor)
        and type(value) is torch.Tensor
        and (value.shape, value.dtype) == (of.shape, of.dtype)
    )


def forged() -> LearnerProblem:
    """Return the problem of an answer that no honest worker gives."""
    return LearnerProblem(
        Verdict.CRASHED,
        "Your code disturbed the conversation with the grader (an answer without its parts).",
        "ProtocolError",
    )


def describe_value(value: Any) -> str:
    """Name what came back in a few words that show no hidden size: ``None``, ``a tuple of 3``, ``a tensor``."""
    if isinstance(value, torch.Tensor):
        return "a tensor"
    if isinstance(value, Opaque):
        return f"an object of type {value.type_name}"
    if isinstance(value, (tuple, list, dict)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, RemoteModule):
        return "a module"
    return "None" if value is None else f"a value of type {type(value).__name__}"
