"""
Run code on a pretend accelerator: values are computed on the CPU, but devices must match as on a GPU.

A pretend tensor is a wrapper that says it lives on another device and keeps its numbers in an ordinary CPU tensor.
Every operation passes through one function, which refuses to mix the two devices in the way that CUDA does, runs the
operation on the CPU and wraps the result. So a mask that learner's code makes on the CPU is found on a machine without
a GPU, and correct code gives the same numbers as on the CPU, gradients included.

The device label is ``lazy``: a device type that every build of torch knows, with a device guard (so that indexing and
``.to`` work) and no kernels of its own. Autograd serves it from the calling thread. A label of our own
(``PrivateUse1``) would need an experimental registration, would change what ``torch.accelerator`` reports to all code
in the process, and makes autograd start a thread, which a process forked after the first ``backward`` does not have.
"""

from __future__ import annotations

import copy
import functools
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, ClassVar, NamedTuple, Self, cast

import torch
from torch import Tensor, nn

# Private names of torch: a version that lacks one makes the device unavailable, not the import fail.
_UNAVAILABLE = ""
_Mode: Any = object
_disabled_torch_function: Any = None
try:
    _dispatch: Any = importlib.import_module("torch.utils._python_dispatch")
    _Mode = _dispatch.TorchDispatchMode
    _correct_aliasing: Any = _dispatch.return_and_correct_aliasing
    _disabled_torch_function = torch._C._disabled_torch_function_impl
    _make_wrapper: Any = torch.Tensor._make_wrapper_subclass
except (ImportError, AttributeError) as error:
    _UNAVAILABLE = f"torch {torch.__version__} lacks what a pretend device is made of: {error}"

_LABEL = "lazy"
_aten = torch.ops.aten

# The two operations whose purpose is to carry values from one device to another.
_MOVES = frozenset({_aten._to_copy.default, _aten.copy_.default})

# Torch marks a conjugate with a bit that is read above this layer, so that here the marked tensor would count as the
# unmarked one. These compute the conjugate instead.
_PHYSICAL = {_aten._conj.default: _aten.conj_physical.default, _aten._neg_view.default: _aten.neg.default}

# CUDA accepts indices that lie on the CPU (``x[cpu_mask]``), but not values that lie there.
_INDEXING = frozenset(
    {_aten.index.Tensor, _aten.index_put.default, _aten.index_put_.default, _aten._index_put_impl_.default}
)

# A 0-dimensional CPU tensor may take part in arithmetic on CUDA like a number; these do no arithmetic on it.
_NO_SCALARS = frozenset(
    {
        "addbmm", "addmm", "addmv", "baddbmm", "bmm", "cat", "convolution", "embedding", "gather", "index_select",
        "mm", "mv", "native_layer_norm", "scatter", "scatter_", "scatter_add", "scatter_add_", "stack", "take",
    }
)  # fmt: skip

# What torch says when code names a device or an accelerator that is not there, or mixes devices before dispatch.
_DEVICE_SENTENCES = (
    "on the same device",
    "is not on the expected device",
    "not compiled with CUDA",
    "Found no NVIDIA driver",
    "not linked with support for",
    "device type tensor to numpy",
)

_active: list[PretendDevice] = []
"""The contexts that are entered, innermost last. A worker has one thread, so this needs no lock."""


class DeviceMismatch(RuntimeError):  # noqa: N818 - named after what happened
    """Tensors on different devices met in one operation; on a GPU this raises too."""


class Event(NamedTuple):
    """A transfer or synchronisation, which would make a GPU wait."""

    kind: str
    """``to_device``, ``to_host`` or ``synchronise``."""
    what: str
    """The operation, with the shape that was moved."""


class _Traits(NamedTuple):
    """What an operation's schema says, read once."""

    written: tuple[int, ...]
    """Positions of the arguments that it writes to."""
    aliases: bool
    """Whether a result shares memory with an argument."""
    accepts_scalars: bool
    """Whether CUDA takes a 0-dimensional CPU tensor there."""


class PretendTensor(Tensor):
    """A tensor that claims to be on the pretend device and keeps its values in a CPU tensor."""

    host: Tensor
    __torch_function__ = _disabled_torch_function

    @staticmethod
    def __new__(cls, host: Tensor) -> PretendTensor:
        """Wrap a CPU tensor that does not require a gradient; both share the values."""
        wrapper: PretendTensor = _make_wrapper(
            cls,
            host.shape,
            strides=host.stride(),
            storage_offset=host.storage_offset(),
            dtype=host.dtype,
            layout=host.layout,
            device=torch.device(_LABEL, 0),
            requires_grad=False,
        )
        return wrapper

    def __init__(self, host: Tensor) -> None:
        self.host = host

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]  # torch annotates its own C function there
        cls,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run an operation on pretend tensors outside any context, for instance while they are printed."""
        return _run(func, args, kwargs or {})

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return f"{self.host!r} on the pretend device"

    def numpy(self, *, force: bool = False) -> Any:
        """Refuse, as a GPU tensor does, unless ``force`` asks for a copy."""
        if force:
            return self.detach().cpu().numpy()
        raise TypeError(
            "can't convert pretend device type tensor to numpy. "
            "Use Tensor.cpu() to copy the tensor to host memory first."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Refuse, so that ``np.asarray(tensor)`` fails as it does for a GPU tensor."""
        return self.numpy()

    def tolist(self) -> Any:
        """Return the values as nested lists; a GPU would have to finish its work first."""
        _note("synchronise", "tolist", self)
        return self.host.tolist()

    def __format__(self, format_spec: str) -> str:
        """Format a 0-dimensional tensor as its number, as torch does; others take no format."""
        return format(self.item() if self.dim() == 0 else repr(self), format_spec)

    @property
    def data(self) -> Tensor:
        """The same values without history; assigning replaces the values, wherever they are kept."""
        return cast(Tensor, Tensor.data.__get__(self))  # type: ignore[attr-defined]

    @data.setter
    def data(self, value: Tensor) -> None:
        Tensor.data.__set__(self, value)  # type: ignore[attr-defined]
        if isinstance(value, PretendTensor):
            self.host = value.host

    # mypy does not let a property stand for an attribute of the base class.
    @property
    def is_cuda(self) -> bool:  # type: ignore[override]
        """False; code that asks may do on CUDA what it does not do here, so the context remembers the question."""
        _remember_question("is_cuda")
        return False

    def get_device(self) -> int:
        """Return index 0; a bare index means CUDA to torch, so the context remembers the question."""
        _remember_question("get_device()")
        return 0


class _PretendMode(_Mode):  # type: ignore[misc]  # its base is known at run time only
    """Bring every operation to :func:`_run`, those without a pretend tensor (``torch.ones(device=…)``) too."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return False: torch would import its compiler, a second or more, to keep it away from this class."""
        return False

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        return _run(func, args, kwargs or {})


class PretendDevice:
    """
    A context in which the pretend device exists: inside it, mixed devices raise :class:`DeviceMismatch`.

    ``device`` is the ``torch.device`` of pretend tensors. Contexts may be nested; the innermost keeps the record.
    """

    device: ClassVar[torch.device] = torch.device(_LABEL, 0)

    def __init__(self) -> None:
        self.events: list[Event] = []
        """Transfers and synchronisations in the order in which they happened. For teaching only."""
        self.unsure = ""
        """What the code asked about CUDA by name. When it is not empty, a mismatch may be no mistake on a real GPU."""
        self._mode: Any = _PretendMode()
        self._lifts_only_cpu = False

    def __enter__(self) -> Self:
        _active.append(self)
        # With this switch ``torch.tensor(data, device=…)`` makes a CPU tensor and moves it, so that we see the move.
        self._lifts_only_cpu = _set_only_lift_cpu(on=True)
        self._mode.__enter__()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._mode.__exit__(exc_type, exc, traceback)
        _set_only_lift_cpu(on=self._lifts_only_cpu)
        _active.remove(self)


def available() -> bool:
    """Return whether this torch can pretend."""
    return not unavailable_reason()


@functools.cache
def unavailable_reason() -> str:
    """Return why this torch cannot pretend, or an empty string if it can. Tries a small attention once."""
    if _UNAVAILABLE:
        return _UNAVAILABLE
    try:
        _try_out()
    except Exception as error:  # noqa: BLE001 - whatever a future torch raises here means the same
        return f"torch {torch.__version__} does not run a small attention on it: {type(error).__name__}: {error}"
    return ""


def prepare() -> None:
    """
    Do everything that is slow the first time, so that a process forked afterwards starts warm.

    Starts no thread and writes no file. Never raises: :func:`unavailable_reason` says what went wrong.
    """
    unavailable_reason()


def is_pretend(tensor: object) -> bool:
    """Return whether this is a tensor on the pretend device."""
    return isinstance(tensor, PretendTensor)


def to_pretend(tensor: Tensor) -> Tensor:
    """Return a copy on the pretend device: a leaf that requires a gradient if ``tensor`` does."""
    if isinstance(tensor, PretendTensor):
        return tensor
    pretend = PretendTensor(tensor.detach().clone())
    return pretend.requires_grad_() if tensor.requires_grad else pretend


def to_host(tensor: Tensor) -> Tensor:
    """Return the values of a pretend tensor as a CPU tensor without history; any other tensor as it is."""
    return tensor.host.detach() if isinstance(tensor, PretendTensor) else tensor


def module_to_pretend(module: nn.Module) -> nn.Module:
    """
    Return a deep copy of ``module`` on the pretend device.

    Moved is what ``module.to(device)`` moves: parameters and buffers. Tensors in plain attributes, and layers in plain
    lists, stay on the CPU, which is the mistake this is meant to show. A ``to`` or ``_apply`` of the learner's own is
    used.

    Raises:
        Exception: Whatever the module's own code raises while it is copied or moved.
    """
    twin = copy.deepcopy(module, memo_of_results(module))
    # Swapping keeps each parameter the same object, as on a real device: weights that are tied, or also kept in a
    # list, stay so.
    swaps_before = torch.__future__.get_swap_module_params_on_conversion()
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        with PretendDevice():
            moved = twin.to(PretendDevice.device)
    finally:
        torch.__future__.set_swap_module_params_on_conversion(swaps_before)
    return moved if isinstance(moved, nn.Module) else twin


def is_device_mistake(error: BaseException) -> bool:
    """Return whether an exception says that code mixed devices or named one that is not there."""
    return isinstance(error, DeviceMismatch) or any(sentence in str(error) for sentence in _DEVICE_SENTENCES)


def _run(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Check the devices of one operation, run it on the CPU and put the result on the device where it belongs."""
    tensors = list(_tensors_in((*args, *kwargs.values())))
    pretends = [tensor for tensor in tensors if isinstance(tensor, PretendTensor)]
    asked = kwargs.get("device")
    if not pretends and not _is_pretend_device(asked):
        return func(*args, **kwargs)
    if func not in _MOVES:
        _check_devices(func, args, tensors, pretends)
    _note_event(func, args, asked, pretends)
    func = _PHYSICAL.get(func, func)

    host_args = [_each(_host_of, value) for value in args]
    host_kwargs = {name: _each(_host_of, value) for name, value in kwargs.items()}
    if _is_pretend_device(asked):
        host_kwargs["device"] = torch.device("cpu")
    result = func(*host_args, **host_kwargs)

    if not _belongs_on_pretend(func, args, asked):
        return args[0] if func is _aten.copy_.default else result
    wrapped = _each(_wrap, result)
    return _correct_aliasing(func, args, kwargs, wrapped) if pretends and _traits(func).aliases else wrapped


def _belongs_on_pretend(func: Any, args: Sequence[Any], asked: object) -> bool:
    if func is _aten.copy_.default:  # the target decides, not the source
        return isinstance(args[0], PretendTensor)
    return True if asked is None else _is_pretend_device(asked)


def _check_devices(func: Any, args: Sequence[Any], tensors: Sequence[Tensor], pretends: Sequence[Tensor]) -> None:
    if not pretends:
        return
    others = [tensor for tensor in tensors if not isinstance(tensor, PretendTensor)]
    if func in _INDEXING and isinstance(args[0], PretendTensor):
        others = [item for item in args[2:3] if isinstance(item, Tensor) and not isinstance(item, PretendTensor)]
    traits = _traits(func)
    written = {id(args[position]) for position in traits.written if position < len(args)}
    for tensor in others:
        is_scalar = tensor.dim() == 0 and tensor.device.type == "cpu"
        if not is_scalar or not traits.accepts_scalars or id(tensor) in written:
            raise DeviceMismatch(
                "Expected all tensors to be on the same device, but found at least two devices, "
                f"pretend:0 and {tensor.device}! (in {func.overloadpacket.__name__}: "
                f"the tensor of shape {tuple(tensor.shape)} is on {tensor.device})"
            )


@functools.cache
def _traits(func: Any) -> _Traits:
    schema = func._schema
    return _Traits(
        written=tuple(position for position, parameter in enumerate(schema.arguments) if parameter.is_write),
        aliases=any(returned.alias_info is not None for returned in schema.returns),
        accepts_scalars=func.overloadpacket.__name__ not in _NO_SCALARS,
    )


def _note_event(func: Any, args: Sequence[Any], asked: object, pretends: Sequence[Tensor]) -> None:
    if func is _aten._local_scalar_dense.default:
        _note("synchronise", "item", args[0])
    elif func in _MOVES:
        lands = _belongs_on_pretend(func, args, asked)
        source = args[1] if func is _aten.copy_.default else args[0]
        if lands and not isinstance(source, PretendTensor):
            _note("to_device", "to", source)
        elif pretends and not lands:
            _note("to_host", "to", source)


def _note(kind: str, operation: str, tensor: object) -> None:
    if _active:
        shape = f" {tuple(tensor.shape)}" if isinstance(tensor, Tensor) else ""
        _active[-1].events.append(Event(kind, operation + shape))


def _remember_question(question: str) -> None:
    if _active and not _active[-1].unsure:
        _active[-1].unsure = f"the code asks for CUDA by name ({question})"


def _is_pretend_device(device: object) -> bool:
    return device is not None and torch.device(cast(Any, device)).type == _LABEL


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply ``function`` to a value or, in a list or tuple, to each; operations nest no deeper."""
    if isinstance(value, (list, tuple)):
        return type(value)([function(item) for item in value])
    return function(value)


def _host_of(value: Any) -> Any:
    return value.host if isinstance(value, PretendTensor) else value


def _wrap(value: Any) -> Any:
    return PretendTensor(value) if isinstance(value, Tensor) and not isinstance(value, PretendTensor) else value


def _set_only_lift_cpu(*, on: bool) -> bool:
    """Set the switch and return its value before; a torch without it only loses ``torch.tensor(device=…)``."""
    get, put = getattr(torch._C, "_only_lift_cpu_tensors", None), getattr(torch._C, "_set_only_lift_cpu_tensors", None)
    if get is None or put is None:
        return False
    before = bool(get())
    put(on)
    return before


def memo_of_results(module: nn.Module) -> dict[int, Any]:
    """
    Return a memo that lets ``deepcopy`` pass tensors that are results of earlier calls.

    Many modules keep their last attention weights for a plot; torch refuses to deep-copy a tensor with a history.
    """
    memo: dict[int, Any] = {}
    for part in module.modules():
        for tensor in _tensors_in(vars(part).values()):
            if tensor.grad_fn is not None:
                memo[id(tensor)] = tensor.detach().clone()
    return memo


def _tensors_in(values: Iterable[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, Mapping):
            yield from _tensors_in(value.values())
        elif isinstance(value, (list, tuple)):
            yield from _tensors_in(value)


def _try_out() -> None:
    """Run an attention with gradients, a module and a mismatch; raises whatever does not work."""

    class Probe(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)
            self.register_buffer("shift", torch.ones(4))

        def forward(self, x: Tensor) -> Tensor:
            return cast(Tensor, self.layer(x) + self.shift)

    # A seed of our own, so that a process which was prepared draws the same numbers as one which was not.
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        query = to_pretend(torch.ones(2, 3, 4, requires_grad=True))
        module = module_to_pretend(Probe())
        with PretendDevice():
            mask = torch.ones(3, 3, dtype=torch.bool, device=query.device).tril()
            scale = torch.tensor([2.0], device=query.device)
            scores = (query @ query.transpose(-2, -1) / scale).masked_fill(~mask, float("-inf"))
            output = module(scores.softmax(dim=-1) @ query[..., :4])
            gradients = torch.autograd.grad(output.sum(), [query, *module.parameters()])
            mismatch = _raises_mismatch(lambda: output + torch.ones(4))
    if not all(is_pretend(tensor) for tensor in (output, *gradients)) or not mismatch:
        raise RuntimeError("results do not stay on the pretend device, or mixed devices are not noticed")


def _raises_mismatch(call: Callable[[], object]) -> bool:
    try:
        call()
    except DeviceMismatch:
        return True
    return False
