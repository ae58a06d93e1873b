"""Turn values into frames and back: a small JSON header and raw tensor bytes, nothing that is ever evaluated.

Frame: ``ATD1`` | u32 header length | u64 payload length | JSON header | payload. All integers are little-endian.
The decoder is strict, because what it reads may come from a hostile process: whatever is not exactly as described
here is a `ProtocolError`, each payload byte belongs to exactly one tensor, and only plain contiguous CPU tensors,
numbers, text and plain containers come out.
"""

import ctypes
import json
import math
import struct
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

MAGIC: Final = b"ATD1"
PREFIX: Final = struct.Struct("<4sIQ")
MAX_HEADER: Final = 1 << 20
MAX_PAYLOAD: Final = 64 << 20
MAX_REPLY: Final = 16 << 20
"""Bytes of tensors in an answer: hundreds of times what exercises return, and little enough to compare in a moment."""
MAX_VALUES: Final = 20_000
MAX_TENSORS: Final = 4_096
MAX_DEPTH: Final = 20
MAX_TEXT: Final = 10_000
MAX_DIMENSIONS: Final = 12

_DTYPES: Final = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "complex64": torch.complex64,
    "complex128": torch.complex128,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
}
_ARRAYS: Final = {
    dtype: np.dtype({"bfloat16": "<i2", "bool": "u1"}.get(name, name)).newbyteorder("<")
    for name, dtype in _DTYPES.items()
}
"""How NumPy reads each dtype; it has no bfloat16, and a byte other than 0 and 1 is no bool."""
_NAMES: Final = {dtype: name for name, dtype in _DTYPES.items()}
_CPU: Final = torch.device("cpu")
# Made once: what json.dumps would make for each call is slower than the encoding itself.
_to_json: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class ProtocolError(Exception):
    """The other side sent something that is no frame of this protocol."""


@dataclass(frozen=True)
class Opaque:
    """A value that does not cross: only its type's name does."""

    type_name: str


@dataclass(frozen=True)
class Handle:
    """An object, such as a module, that stays in the worker and is spoken of by number."""

    number: int
    type_name: str


@dataclass(frozen=True)
class ActiveDevice:
    """The device that a call runs on, to be passed where a learner's function takes a device."""


def pack_frame(value: Any, *, keep_strides: bool = False, most: int = MAX_PAYLOAD) -> bytes:
    """
    Encode a value as one frame.

    Args:
        value: Tensors, None, bool, int, float, str, `Handle`, and lists, tuples and dicts of these.
            Anything else becomes an `Opaque`.
        keep_strides: Whether a non-contiguous tensor arrives non-contiguous. For requests only.
        most: Bytes that its tensors may have together; those that do not fit become an `Opaque`.

    Raises:
        ProtocolError: If the value is larger than a frame may be.
    """
    encoder = _Encoder(keep_strides=keep_strides, most=most)
    header = _to_json({"value": encoder.encode(value, 0), "tensors": encoder.tensors}).encode()
    payload = b"".join(encoder.payload)
    if len(header) > MAX_HEADER or len(payload) > most:
        raise ProtocolError("the value is larger than a frame may be")
    return PREFIX.pack(MAGIC, len(header), len(payload)) + header + payload


def pack_text(text: str) -> torch.Tensor:
    """Return a text of any length as a tensor of its bytes; in a frame's header a text is cut."""
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    return torch.frombuffer(data, dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)


def unpack_text(data: torch.Tensor) -> str:
    """Return the text that `pack_text` packed."""
    return ctypes.string_at(data.data_ptr(), data.numel()).decode("utf-8", "surrogatepass")


def unpack_prefix(prefix: bytes, most: int = MAX_PAYLOAD) -> tuple[int, int]:
    """Return the lengths of header and payload; `ProtocolError` if this is no frame or the payload is over ``most``."""
    magic, header_length, payload_length = PREFIX.unpack(prefix)
    if magic != MAGIC or header_length > MAX_HEADER or payload_length > most:
        raise ProtocolError("not a frame, or one that is too large")
    return header_length, payload_length


def split_frame(frame: bytes, most: int = MAX_PAYLOAD) -> tuple[bytes, bytes]:
    """Return the header and the payload of one whole frame; see `unpack_prefix`."""
    header_length, _ = unpack_prefix(frame[: PREFIX.size], most)
    start = PREFIX.size + header_length
    return frame[PREFIX.size : start], frame[start:]


def unpack_frame(header: bytes, payload: bytes, *, keep_strides: bool = False) -> Any:
    """
    Decode one frame's header and payload.

    Args:
        header: The JSON header's bytes.
        payload: The tensors' bytes, one after another.
        keep_strides: Accept strides; only where the sender is trusted.

    Raises:
        ProtocolError: Whatever is wrong with the frame.
    """
    try:
        head = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"the header is not JSON: {type(error).__name__}") from None
    if type(head) is not dict or head.keys() != {"value", "tensors"} or type(head["tensors"]) is not list:
        raise ProtocolError("the header has other fields than value and tensors")
    tensors = _decode_tensors(head["tensors"], payload, keep_strides=keep_strides)
    return _Decoder(tensors).decode(head["value"], 0)


class _Encoder:
    def __init__(self, *, keep_strides: bool, most: int) -> None:
        self.keep_strides = keep_strides
        self.most = most
        self.tensors: list[dict[str, Any]] = []
        self.payload: list[bytes] = []
        self.count = 0
        self.size = 0

    def encode(self, value: Any, depth: int) -> Any:
        self.count += 1
        if self.count > MAX_VALUES or depth > MAX_DEPTH:
            return {"opaque": "a value nested too deeply or with too many parts"}
        kind = type(value)
        if kind is torch.Tensor:
            return self._tensor(value)
        if kind is str:
            return _sendable(value)
        if isinstance(value, dict):  # an OrderedDict is as good as a dict
            return {"dict": [[_sendable(str(key)), self.encode(item, depth + 1)] for key, item in value.items()]}
        if value is None or kind is bool:
            return value
        if kind is int:
            return value if -(1 << 63) <= value < 1 << 63 else {"opaque": "int beyond 64 bits"}
        if kind is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if kind is Handle:
            return {"handle": [value.number, value.type_name[:80]]}
        if kind is ActiveDevice:
            return {"device": True}
        if isinstance(value, tuple):  # named tuples too: torch returns some
            return {"tuple": [self.encode(item, depth + 1) for item in value]}
        if kind is list:
            return {"list": [self.encode(item, depth + 1) for item in value]}
        return {"opaque": kind.__name__[:80]}

    def _tensor(self, tensor: torch.Tensor) -> Any:
        # Subclasses may run code of their own when touched, so only the two plain classes are read.
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            return {"opaque": f"{type(tensor).__name__[:60]}, a tensor subclass"}
        name = _NAMES.get(tensor.dtype)
        if name is None or tensor.layout is not torch.strided or tensor.is_meta:
            return {"opaque": f"a {tensor.dtype} tensor, {tensor.layout}, on {tensor.device}"[:120]}
        length = tensor.numel() * tensor.element_size()
        if self.size + length > self.most:
            return {"opaque": "a tensor with more elements than may cross"}
        self.size += length
        plain = tensor
        contiguous = tensor.is_contiguous()
        if not contiguous or tensor.is_neg() or tensor.is_conj() or tensor.device != _CPU:
            plain = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous()
        entry: dict[str, Any] = {"dtype": name, "shape": plain.shape}
        if self.keep_strides and not contiguous:
            entry["strides"] = tensor.stride()
        self.tensors.append(entry)
        self.payload.append(ctypes.string_at(plain.data_ptr(), length) if length else b"")
        return {"tensor": len(self.tensors) - 1}


def _sendable(text: str) -> str:
    # Lone surrogates do not survive UTF-8, so they are replaced here rather than refused there.
    if text.isascii():
        return text[:MAX_TEXT]
    return text[:MAX_TEXT].encode("utf-8", "replace").decode()


def _decode_tensors(entries: list[Any], payload: bytes, *, keep_strides: bool) -> list[torch.Tensor]:
    if len(entries) > MAX_TENSORS:
        raise ProtocolError("too many tensors")
    tensors, offset = [], 0
    for entry in entries:
        tensor, length = _decode_tensor(entry, payload, offset, keep_strides=keep_strides)
        tensors.append(tensor)
        offset += length
    if offset != len(payload):
        raise ProtocolError("the payload has bytes that belong to no tensor")
    return tensors


def _decode_tensor(entry: Any, payload: bytes, offset: int, *, keep_strides: bool) -> tuple[torch.Tensor, int]:
    if type(entry) is not dict or not {"dtype", "shape"} <= entry.keys() <= {"dtype", "shape", "strides"}:
        raise ProtocolError("a tensor has other fields than dtype and shape")
    name, shape = entry["dtype"], entry["shape"]
    dtype = _DTYPES.get(name) if type(name) is str else None
    if dtype is None:
        raise ProtocolError("unknown dtype")
    if type(shape) is not list or len(shape) > MAX_DIMENSIONS:
        raise ProtocolError("bad shape")
    count = 1
    for extent in shape:
        if type(extent) is not int or not 0 <= extent <= MAX_PAYLOAD:
            raise ProtocolError("bad shape")
        count *= extent
    length = count * dtype.itemsize
    if offset + length > len(payload) or (count == 0 and math.prod(max(1, length) for length in shape) > MAX_PAYLOAD):
        raise ProtocolError("the shape does not fit the payload")
    data = payload[offset : offset + length]
    if count == 0:
        tensor = torch.empty(shape, dtype=dtype)
    else:
        # By way of NumPy, which takes half the time that torch.frombuffer does, and for bool a quarter.
        array = np.ndarray(shape, _ARRAYS[dtype], bytearray(data))
        if dtype is torch.bool:
            array = np.asarray(array != 0)  # of a single number it is no array
        tensor = torch.from_numpy(array)
        if dtype is torch.bfloat16:
            tensor = tensor.view(dtype)
    if keep_strides and "strides" in entry:
        tensor = _restride(tensor, entry["strides"])
    return tensor, length


def _restride(tensor: torch.Tensor, strides: list[int]) -> torch.Tensor:
    """Lay the tensor out in memory as it was at the sender, unless its elements overlapped there."""
    extent = 1 + sum((length - 1) * stride for length, stride in zip(tensor.shape, strides, strict=True))
    if any(stride == 0 for stride in strides) or not tensor.numel() <= extent <= 16 * tensor.numel():
        return tensor
    return torch.empty_strided(tuple(tensor.shape), tuple(strides), dtype=tensor.dtype).copy_(tensor)


class _Decoder:
    def __init__(self, tensors: list[torch.Tensor]) -> None:
        self.tensors = tensors
        self.used: set[int] = set()
        self.count = 0

    def decode(self, node: Any, depth: int) -> Any:
        self.count += 1
        if self.count > MAX_VALUES or depth > MAX_DEPTH:
            raise ProtocolError("too many values, or nested too deeply")
        kind = type(node)
        if kind is dict and len(node) == 1:
            ((tag, content),) = node.items()
            return self._tagged(tag, content, depth)
        if kind is str:
            return _text(node)
        if node is None or kind is bool:
            return node
        if kind is int and -(1 << 63) <= node < 1 << 63:
            return node
        if kind is float and math.isfinite(node):
            return node
        raise ProtocolError("a value that is none of the protocol's")

    def _tagged(self, tag: str, content: Any, depth: int) -> Any:
        if tag == "tensor" and type(content) is int and 0 <= content < len(self.tensors) and content not in self.used:
            self.used.add(content)  # two names for one memory would let one value change another
            return self.tensors[content]
        if tag == "float" and content in ("nan", "inf", "-inf"):
            return float(content)
        if tag in ("list", "tuple") and type(content) is list:
            items = [self.decode(item, depth + 1) for item in content]
            return tuple(items) if tag == "tuple" else items
        if tag == "dict" and type(content) is list:
            return self._dict(content, depth)
        if tag == "opaque" and type(content) is str:
            return Opaque(_text(content)[:120])
        if tag == "device" and content is True:
            return ActiveDevice()
        if tag == "handle" and type(content) is list and len(content) == 2:
            number, name = content
            if type(number) is int and 0 <= number < 1 << 31 and type(name) is str:
                return Handle(number, _text(name)[:80])
        raise ProtocolError("a value that is none of the protocol's")

    def _dict(self, pairs: list[Any], depth: int) -> dict[str, Any]:
        found = {}
        for pair in pairs:
            if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str:
                raise ProtocolError("a dict entry that is no pair of text and value")
            found[_text(pair[0])[:200]] = self.decode(pair[1], depth + 1)
        return found


def _text(text: str) -> str:
    """Return a text that is short enough and that can be written again: JSON lets lone surrogates through."""
    if len(text) > MAX_TEXT:
        raise ProtocolError("a text that is too long")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ProtocolError("text with a lone surrogate") from None
    return text
