"""Do what a request asks for with the learner's names: call, differentiate, inspect.

The worker uses this on untrusted code. The trusted side uses the very same on a course's chaffs, to see whether a
wrong answer is one that is known; so both answer a request alike.
"""

import copy
import dis
import math
import random
import sys
import time
import traceback
import types
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch

from grader.sandbox import pretend_device
from grader.sandbox.namespace import LearnerModules, torch_state_kept
from grader.sandbox.picture import Easel, figures_kept_in
from grader.sandbox.wire import ActiveDevice, Handle

MAX_MESSAGE: Final = 2_000
MAX_FRAMES: Final = 8

Request = dict[str, Any]
Reply = dict[str, Any]


class Executor:
    """
    Answers requests about one exercise.

    Args:
        namespace: The module that the promised names are taken from.
        modules: The submission that the module belongs to; its file names tell learners' frames from others.
        load_again: Runs the submission anew and returns its module, so that what one check leaves behind in a global or
            a default argument never reaches the next.
        loading_s: Seconds that all of this may take; what takes long to import is not run again and again.
    """

    def __init__(
        self,
        namespace: types.ModuleType,
        modules: LearnerModules,
        load_again: Callable[[], types.ModuleType] | None = None,
        loading_s: float = math.inf,
    ) -> None:
        self.namespace = namespace
        self.modules = modules
        self._load_again = load_again
        self._loading_s = loading_s
        self._used = False
        """Whether anything of the namespace was called since it was loaded."""
        self.objects: dict[int, Any] = {}
        self._unsure = ""
        """What made the last call on the pretend device say nothing about a real one."""
        self._operations: dict[str, Callable[[Request], Reply]] = {
            "call": self._call,
            "state": self._state,
            "set_state": self._set_state,
            "configure": self._configure,
            "forget": self._forget,
        }

    def perform(self, request: Request) -> Reply:
        """
        Answer one request; whatever the learner's code raises becomes part of the answer.

        A request that begins a check forgets what the check before left behind.
        """
        if request.get("begin"):
            self._forget(request)
        try:
            with torch_state_kept(), figures_kept_in():
                return {"ok": True, **self._operations[request["op"]](request)}
        except BaseException as error:  # noqa: BLE001 - a submission may raise anything
            reply = describe_error(error, self.modules)
            if request.get("device") == "pretend" and reply["kind"] == "raised":
                reply = {**reply, "kind": "unjudged"} if self._unsure else _judge_pretended(error, reply, self.modules)
            return {"ok": False, **reply}

    def _forget(self, _: Request) -> Reply:
        """Start afresh, if that does not take too long."""
        self.objects.clear()
        if self._load_again is None or not self._used:
            return {}
        started = time.perf_counter()
        seed_everything(0)
        try:
            self.namespace = self._load_again()
        except BaseException:  # noqa: BLE001 - what cannot be run twice goes on as it is
            self._load_again = None
        took = time.perf_counter() - started
        self._loading_s -= took
        if self._loading_s < took:
            self._load_again = None
        self._used = False
        return {}

    def _call(self, request: Request) -> Reply:
        self._used = True
        seed_everything(request["seed"])
        self._unsure = ""
        with _Place(request["device"]) as place:
            try:
                return self._call_at(place, request)
            finally:
                self._unsure = place.unsure

    def _call_at(self, place: "_Place", request: Request) -> Reply:
        target = place.bring_target(self._target(request["target"]))
        before = list(request["args"])
        wanted = request.get("picture")
        in_graph = {"wrt": None} if wanted and wanted["in_graph"] else None
        leaves, args = _prepare_arguments(place.bring(before), request.get("gradients") or in_graph)
        drawing: Reply = {}
        unroll = request.get("unroll")
        if wanted:
            result = _draw(target, args, wanted["axes_at"], drawing)
        else:
            result = target(*args) if unroll is None else _call_in_turn(target, args, **unroll)
        reply: Reply = {
            **drawing,
            "value": self._returnable(place.take(result)),
            "devices": [place.name_of(tensor) for tensor in _tensors_in(result)],
            "changed": [position for position, old in enumerate(before) if place.differs(old, args[position])],
        }
        if isinstance(result, torch.nn.Module):
            reply |= describe_module(result)
        if request.get("gradients") is not None:
            reply["gradients"] = place.take(_gradients(result, leaves, target, place.bring(request["gradients"])))
        return reply

    def _target(self, target: str | Handle) -> Any:
        if isinstance(target, Handle):
            return self.objects[target.number]
        found = getattr(self.namespace, target, None)
        if found is None:
            raise _MissingNameError(target)
        return found

    def _returnable(self, value: Any) -> Any:
        if not isinstance(value, torch.nn.Module):
            return value
        number = len(self.objects)
        self.objects[number] = value
        return Handle(number, type(value).__name__)

    def _state(self, request: Request) -> Reply:
        module = self._target(request["target"])
        return {**describe_module(module), "buffers": {name: buffer.clone() for name, buffer in module.named_buffers()}}

    def _set_state(self, request: Request) -> Reply:
        module = self._target(request["target"])
        own = {**parameters_of(module), **dict(module.named_buffers())}
        for name, value in request["values"].items():
            if name not in own:
                raise _MissingNameError(f"{type(module).__name__}.{name}")
            with torch.no_grad():
                own[name].copy_(value)
        return {}

    def _configure(self, request: Request) -> Reply:
        module = self._target(request["target"])
        if "train" in request:
            module.train(request["train"])
        if "dtype" in request:
            module.to(getattr(torch, request["dtype"]))
        return {}


def _draw(target: Any, args: Sequence[Any], axes_at: int | None, reply: Reply) -> Any:
    """Call what draws, handing it axes at that position if there is one, and add to the reply what it drew."""
    with Easel(with_axes=axes_at is not None) as easel:
        if axes_at is None or easel.axes is None:
            result = target(*args)
        else:
            result = target(*args[:axes_at], easel.axes, *args[axes_at:])
        reply["picture"] = easel.describe(result)
    return result


class _MissingNameError(Exception):
    """A promised name is not there."""


class _GradientError(Exception):
    """The output cannot be differentiated along the given direction."""


class _UnrollError(Exception):
    """What one call returned cannot be passed on to the next."""


class _Place:
    """Where a call runs: on the CPU, on a pretend accelerator or on a real one."""

    def __init__(self, device: str) -> None:
        self.pretend = device == "pretend"
        if self.pretend:
            self.device = pretend_device.PretendDevice.device
        elif device == "accelerator":
            self.device = accelerator()
        else:
            self.device = torch.device("cpu")
        self._context = pretend_device.PretendDevice() if self.pretend else None

    def __enter__(self) -> "_Place":
        if self._context is not None:
            self._context.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._context is not None:
            self._context.__exit__(*exception)

    @property
    def unsure(self) -> str:
        """What the code asked about real devices by name; then a mismatch may be no mistake on one."""
        return self._context.unsure if self._context is not None else ""

    def bring(self, value: Any) -> Any:
        """Copy a value's tensors here."""
        if isinstance(value, ActiveDevice):
            return self.device
        if isinstance(value, torch.Tensor):
            if self.pretend:
                return pretend_device.to_pretend(value)
            return _clone(value) if self.device.type == "cpu" else value.to(self.device)
        return _map_container(value, self.bring)

    def bring_target(self, target: Any) -> Any:
        """Copy a module here; functions work anywhere."""
        if self.device.type == "cpu" or not isinstance(target, torch.nn.Module):
            return target
        if self.pretend:
            return pretend_device.module_to_pretend(target)
        return copy.deepcopy(target, pretend_device.memo_of_results(target)).to(self.device)

    def take(self, value: Any) -> Any:
        """Copy a value's tensors back to the CPU."""
        if isinstance(value, torch.Tensor):
            # A copy, because code may go on changing what it returned.
            return pretend_device.to_host(value).clone() if self.pretend else value.detach().cpu().clone()
        return _map_container(value, self.take)

    def differs(self, old: Any, new: Any) -> bool:
        """Whether an argument is another than the value that was brought here for it."""
        if not isinstance(old, torch.Tensor) or not isinstance(new, torch.Tensor):
            return False
        return not _same(old, pretend_device.to_host(new) if self.pretend else new.detach().cpu())

    def name_of(self, tensor: torch.Tensor) -> str:
        """Say where a returned tensor lives."""
        if self.pretend:
            return "pretend" if pretend_device.is_pretend(tensor) else "cpu"
        return "accelerator" if tensor.device.type == self.device.type != "cpu" else tensor.device.type


def parameters_of(module: torch.nn.Module) -> dict[str, torch.nn.Parameter]:
    """
    Return a module's parameters by name, each once.

    A layer may be in a list or dict first and be given its own name afterwards. torch knows it by the first name then,
    but people, and exercises, by the one without a number and with the fewest dots.
    """
    names: dict[torch.nn.Parameter, str] = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        if parameter not in names or _plainness(name) < _plainness(names[parameter]):
            names[parameter] = name
    return {name: parameter for parameter, name in names.items()}


def _plainness(name: str) -> tuple[int, int]:
    parts = name.split(".")
    return sum(part.isdigit() for part in parts), len(parts)


def describe_module(module: torch.nn.Module) -> Reply:
    """Return a module's parameters by name, and the names of those that are trained."""
    named = parameters_of(module)
    return {
        "parameters": {name: parameter.detach().clone() for name, parameter in named.items()},
        # Sorted, because the order in which layers are made says nothing, and replies are compared.
        "trainable": sorted(name for name, parameter in named.items() if parameter.requires_grad),
    }


def accelerator() -> torch.device:
    """Return this machine's accelerator, or the CPU where there is none."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def seed_everything(seed: int) -> None:
    """Seed every generator that a learner's code may draw from."""
    # Not torch.manual_seed: for each device that is not in use it keeps a formatted stack, which takes 2 ms a call.
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.manual_seed_all(seed)
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % (1 << 32))


def describe_error(error: BaseException, modules: LearnerModules) -> Reply:
    """Say what was raised, and where in the learner's own files."""
    frames = [
        [frame.filename, frame.lineno or 0, frame.name, (frame.line or "").strip()[:200]]
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename in modules.cell_names
    ]
    if isinstance(error, SyntaxError) and error.filename in modules.cell_names:
        frames.append([error.filename, error.lineno or 0, "", (error.text or "").strip()[:200]])
    if len(frames) > MAX_FRAMES:
        frames = [*frames[: MAX_FRAMES // 2], *frames[-MAX_FRAMES // 2 :]]
    return {
        "kind": _kind_of(error, modules),
        "own": _raised_by_learner(error, modules),
        "type": type(error).__name__[:80],
        "message": _message_of(error),
        "frames": frames,
    }


def _judge_pretended(error: BaseException, reply: Reply, modules: LearnerModules) -> Reply:
    """
    Say of what was raised on the pretend accelerator whether it would be raised on a real one, too.

    That is known of a device mistake, also where code catches it and raises something else, and of a ``raise`` of the
    learner's own. What torch cannot do here it may be able to do there, and so may code that passes that on.

    Args:
        error: What was raised.
        reply: Its description.
        modules: The submission.
    """
    behind = _behind(error, modules)
    mistake = next(filter(pretend_device.is_device_mistake, behind), None)
    if mistake is not None:
        return {**describe_error(mistake, modules), "kind": "device"}
    # Code that lists the devices it knows refuses the pretended one, and may well take a real one.
    refused = all(_raised_by_learner(each, modules) and not _names_accelerators(each) for each in behind)
    return {**reply, "kind": "refused" if refused else "unjudged"}


def _names_accelerators(error: BaseException) -> bool:
    """Whether the function that raised has the name of an accelerator among its constants."""
    innermost = _innermost(error)
    constants = innermost.tb_frame.f_code.co_consts if innermost is not None else ()
    flat = [part for each in constants for part in (each if isinstance(each, (tuple, frozenset)) else (each,))]
    return not {"cuda", "mps", "xpu"}.isdisjoint(part for part in flat if isinstance(part, str))


def _behind(error: BaseException, modules: LearnerModules) -> list[BaseException]:
    """Return an exception and those that it was raised because of; for a learner's ``raise``, all it answers to."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        # One that was only made to be the cause of another says nothing.
        if each is None or each.__traceback__ is None or any(each is known for known in found):
            continue
        found.append(each)
        waiting.append(each.__cause__)
        # While torch recovers from something, or code goes another way, what fails next is another matter.
        if _raised_by_learner(each, modules):
            waiting.append(each.__context__)
    return found


def _kind_of(error: BaseException, modules: LearnerModules) -> str:
    if isinstance(error, _MissingNameError):
        return "missing"
    if isinstance(error, _GradientError):
        return "gradient"
    if isinstance(error, _UnrollError):
        return "unroll"
    if isinstance(error, NotImplementedError) and _raised_by_learner(error, modules):
        return "todo"
    return "raised"


def _raised_by_learner(error: BaseException, modules: LearnerModules) -> bool:
    """Whether a ``raise`` of the learner's own file is what raised: torch raises NotImplementedError as well."""
    innermost = _innermost(error)
    if innermost is None or innermost.tb_frame.f_code.co_filename not in modules.cell_names:
        return False
    return innermost.tb_frame.f_code.co_code[innermost.tb_lasti] == dis.opmap["RAISE_VARARGS"]


def _innermost(error: BaseException) -> types.TracebackType | None:
    """Return where an exception was raised."""
    traceback_left = error.__traceback__
    while traceback_left is not None and traceback_left.tb_next is not None:
        traceback_left = traceback_left.tb_next
    return traceback_left


def _message_of(error: BaseException) -> str:
    try:
        return str(error)[:MAX_MESSAGE]
    except BaseException:  # noqa: BLE001 - a learner's exception may fail even at being shown
        return ""


def _map_container(value: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(value, list):
        return [function(item) for item in value]
    if isinstance(value, tuple):
        return tuple(function(item) for item in value)
    if isinstance(value, dict):
        return {key: function(item) for key, item in value.items()}
    return value


def _tensors_in(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors_in(item)]
    return []


def _clone(tensor: torch.Tensor) -> torch.Tensor:
    """Copy a tensor with its layout in memory: whether it is contiguous is part of what a suite tries.

    Elements that share their memory, as those of an expanded tensor do, get memory of their own, as on the wire.
    """
    if tensor.is_contiguous() or 0 in tensor.stride():
        return tensor.clone()
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype).copy_(tensor)


def _prepare_arguments(
    args: Sequence[Any], gradients: dict[str, Any] | None
) -> tuple[dict[int, torch.Tensor], list[Any]]:
    """Return the leaves to differentiate by, and the arguments to call with."""
    leaves: dict[int, torch.Tensor] = {}
    prepared = list(args)
    if gradients is None:
        return leaves, prepared
    for position, value in enumerate(args):
        wanted = gradients["wrt"] is None or position in gradients["wrt"]
        if wanted and isinstance(value, torch.Tensor) and value.is_floating_point():
            leaves[position] = value.detach().requires_grad_()
            # A copy is passed rather than the leaf: changing an argument in place is a mistake with a check of its own
            # and must not also raise here.
            prepared[position] = leaves[position].clone()
    return leaves, prepared


def _call_in_turn(target: Any, args: Sequence[Any], over: Sequence[int], carry: Sequence[Sequence[int]]) -> Any:
    """
    Call a target once for each step of time, and return what its calls returned, joined along a new first axis.

    Args:
        target: What is called.
        args: Its arguments.
        over: Positions of arguments whose first axis is time; each call gets one slice of them.
        carry: Pairs of an argument's position and an output's: that output of one call is this argument of the next.
    """
    given, answers = list(args), []
    for step in range(len(args[over[0]])):
        answer = target(*(value[step] if place in over else value for place, value in enumerate(given)))
        answers.append(tuple(answer) if isinstance(answer, (tuple, list)) else (answer,))
        for place, of in carry:
            if of >= len(answers[-1]) or not isinstance(answers[-1][of], torch.Tensor):
                raise _UnrollError(f"output {of} of a call is no tensor")
            given[place] = answers[-1][of]
    try:
        joined = tuple(torch.stack(outputs) for outputs in zip(*answers, strict=True))
    except (TypeError, ValueError, RuntimeError) as error:
        raise _UnrollError(f"the calls return values that cannot be joined: {error}") from None
    return joined if isinstance(answer, (tuple, list)) else joined[0]


def _gradients(result: Any, leaves: dict[int, torch.Tensor], target: Any, gradients: dict[str, Any]) -> Reply:
    output = result[gradients["of"]] if isinstance(result, (tuple, list)) else result
    parameters = parameters_of(target) if isinstance(target, torch.nn.Module) else {}
    parameters = {name: parameter for name, parameter in parameters.items() if parameter.requires_grad}
    positions, names = list(leaves), list(parameters)
    found: Sequence[torch.Tensor | None] = [None] * (len(positions) + len(names))
    if isinstance(output, torch.Tensor) and output.requires_grad:
        along = gradients["along"]
        if output.shape != along.shape:
            raise _GradientError(f"the output has shape {tuple(output.shape)} where {tuple(along.shape)} was expected")
        wrt = [*leaves.values(), *parameters.values()]
        found = torch.autograd.grad([output], wrt, [along.to(output.dtype)], allow_unused=True)
    arguments: list[Any] = [None] * (max(positions, default=-1) + 1)
    for position, gradient in zip(positions, found, strict=False):
        arguments[position] = gradient
    return {"arguments": arguments, "parameters": dict(zip(names, found[len(positions) :], strict=True))}


def _same(old: torch.Tensor, new: torch.Tensor) -> bool:
    if old.shape != new.shape or old.dtype != new.dtype:
        return False
    # The second look finds NaN equal to NaN, and takes ten times as long.
    return torch.equal(old, new) or bool(((old == new) | ((old != old) & (new != new))).all())
