"""Frames carry values exactly, and the decoder survives whatever a hostile process sends."""

import contextlib
import json
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.sandbox.wire import (
    MAX_PAYLOAD,
    MAX_REPLY,
    PREFIX,
    ActiveDevice,
    Handle,
    Opaque,
    ProtocolError,
    pack_frame,
    pack_text,
    unpack_frame,
    unpack_prefix,
    unpack_text,
)


def cross(value, *, keep_strides=False):
    """Send a value through a frame."""
    frame = pack_frame(value, keep_strides=keep_strides)
    header_length, payload_length = unpack_prefix(frame[: PREFIX.size])
    header = frame[PREFIX.size : PREFIX.size + header_length]
    payload = frame[PREFIX.size + header_length :]
    assert payload_length == len(payload)
    return unpack_frame(header, payload, keep_strides=keep_strides)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -3,
        1 << 62,
        2.5,
        math.inf,
        "Ⓐ🙂",
        (1, [2, ("x",)]),
        {"a": {"b": 1}},
        Handle(3, "Layer"),
        ActiveDevice(),
    ],
)
def test_plain_values_arrive_as_they_were(value):
    """Containers keep their kind: a tuple is not a list."""
    assert value == cross(value)


@pytest.mark.parametrize(
    "dtype",
    [
        torch.float64,
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.int64,
        torch.uint8,
        torch.bool,
        torch.complex64,
    ],
)
def test_tensors_arrive_bit_for_bit(dtype):
    """Dtype, shape and every bit."""
    tensor = torch.arange(12).reshape(3, 4).to(dtype)

    assert torch.equal(tensor, cross(tensor))
    assert dtype is cross(tensor).dtype


def test_nan_and_negative_zero_survive():
    """They are what some checks are about."""
    got = cross(torch.tensor([float("nan"), -0.0]))

    assert got[0].isnan()
    assert torch.signbit(got[1])


@pytest.mark.parametrize("text", ["", "a", "Ⓐ🙂 \ud800", "line\n" * 100_000])
def test_a_text_of_any_length_crosses_as_bytes(text):
    """Learners' files are longer than a text in a header may be."""
    assert text == unpack_text(cross(pack_text(text)))


def test_an_input_that_is_not_contiguous_arrives_so():
    """Whether code minds is part of what suites try."""
    tensor = torch.arange(24.0).reshape(2, 3, 4).transpose(1, 2)

    got = cross(tensor, keep_strides=True)

    assert (tensor.stride(), False) == (got.stride(), got.is_contiguous())
    assert torch.equal(tensor, got)


def test_an_answer_always_arrives_contiguous():
    """Nothing of the sender's memory layout is rebuilt from what it claims."""
    assert cross(torch.arange(6).reshape(2, 3).t()).is_contiguous()


def test_shared_memory_is_not_shared_after_crossing():
    """An expanded tensor becomes one of its own."""
    got = cross(torch.tensor([1.0]).expand(3))
    got[0] = 5

    assert [5.0, 1.0, 1.0] == got.tolist()


def test_objects_do_not_cross():
    """Only their type's name does, and no method of theirs is called."""

    class Trap(torch.Tensor):
        def detach(self):
            raise AssertionError("touched")

    assert Opaque("object") == cross(object())
    assert "Trap" in cross(torch.zeros(2).as_subclass(Trap)).type_name


def test_what_is_too_large_is_named_and_not_sent():
    """A tensor of a terabyte that occupies four bytes is refused by its size."""
    got = cross(torch.zeros(1).expand(MAX_PAYLOAD))

    assert isinstance(got, Opaque)


def header(value, tensors=()):
    """A header as a hostile sender would write it."""
    return json.dumps({"value": value, "tensors": list(tensors)}).encode()


FLOATS = {"dtype": "float32", "shape": [2]}


@pytest.mark.parametrize(
    ("head", "payload"),
    [
        (b"{", b""),
        (b"[" * 100_000, b""),
        (b"\xff\xfe", b""),
        (json.dumps({"value": 1}).encode(), b""),
        (json.dumps({"value": 1, "tensors": [], "more": 1}).encode(), b""),
        (header({"tensor": 0}), b""),
        (header({"tensor": 0}, [FLOATS]), b"1234567"),
        (header({"tensor": 0}, [FLOATS]), b"123456789"),
        (header([{"tensor": 0}, {"tensor": 0}], [FLOATS]), b"12345678"),
        (header("\ud800"), b""),
        (b'{"value":"\xed\xa0\x80","tensors":[]}', b""),
        (header({"dict": [["\ud800", 1]]}), b""),
        (header({"opaque": "\ud800"}), b""),
        (header({"handle": [0, "\ud800"]}), b""),
        (header({"list": [{"tensor": 0}, {"tensor": 0}]}, [FLOATS]), b"12345678"),
        (header({"tensor": -1}, [FLOATS]), b"12345678"),
        (header({"tensor": True}, [FLOATS]), b"12345678"),
        (header({"tensor": 0}, [{"dtype": "float32", "shape": [-2]}]), b""),
        (header({"tensor": 0}, [{"dtype": "float32", "shape": [1 << 40, 0]}]), b""),
        (header({"tensor": 0}, [{"dtype": "float32", "shape": [1 << 20, 1 << 20, 0]}]), b""),
        (header({"tensor": 0}, [{"dtype": "float32", "shape": [2.0]}]), b"12345678"),
        (header({"tensor": 0}, [{"dtype": "object", "shape": [1]}]), b"12345678"),
        (header({"tensor": 0}, [{"dtype": ["float32"], "shape": [1]}]), b"1234"),
        (header({"tensor": 0}, [{"dtype": "float32", "shape": [1] * 50}]), b"1234"),
        (header({"float": "nan; import os"}), b""),
        (header({"pickle": "gASV"}), b""),
        (header({"dict": [[1, 2]]}), b""),
        (header({"dict": [["a"]]}), b""),
        (header({"handle": [-1, "x"]}), b""),
        (header({"list": [], "tuple": []}), b""),
        (header([1, 2]), b""),
        (header("x" * 20_000), b""),
        (header(int("9" * 400)), b""),
        (header({"list": [0] * 30_000}), b""),
    ],
)
def test_a_malformed_frame_is_a_protocol_error(head, payload):
    """Nothing else is raised, and nothing of it is believed."""
    with pytest.raises(ProtocolError):
        unpack_frame(head, payload)


def test_a_frame_that_announces_too_much_is_refused_before_it_is_read():
    """No memory is set aside for it."""
    with pytest.raises(ProtocolError):
        unpack_prefix(PREFIX.pack(b"ATD1", 10, MAX_PAYLOAD + 1))
    with pytest.raises(ProtocolError):
        unpack_prefix(PREFIX.pack(b"HTTP", 10, 10))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["tensor", "list", "tuple", "dict", "float", "handle", "opaque", "device", "x"]),
            inner,
            max_size=2,
        )
    ),
    max_leaves=12,
)
tensor_entries = st.lists(
    st.fixed_dictionaries(
        {"dtype": st.sampled_from(["float32", "bool", "bfloat16", "int64", "x"]) | json_values},
        optional={"shape": st.lists(st.integers(-2, 9), max_size=4) | json_values, "strides": json_values},
    ),
    max_size=3,
)


@settings(max_examples=300, deadline=None)
@given(json_values, tensor_entries, st.binary(max_size=64))
def test_no_frame_raises_anything_but_the_protocol_error(value, tensors, payload):
    """Whatever is sent, the trusted side gets a value or the one typed error."""
    with contextlib.suppress(ProtocolError):
        unpack_frame(json.dumps({"value": value, "tensors": tensors}).encode(), payload)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.binary(max_size=32))
def test_no_bytes_raise_anything_but_the_protocol_error(head, payload):
    """The same for bytes that are no JSON."""
    with contextlib.suppress(ProtocolError):
        unpack_frame(head, payload)


def test_an_answer_may_be_less_large_than_a_question():
    """The process that grades refuses by the length alone, before it has read or computed anything."""
    prefix = PREFIX.pack(b"ATD1", 10, MAX_REPLY + 1)

    assert (10, MAX_REPLY + 1) == unpack_prefix(prefix)
    with pytest.raises(ProtocolError):
        unpack_prefix(prefix, MAX_REPLY)


def test_a_tensor_too_large_for_an_answer_is_named_and_the_rest_arrives():
    """An honest mistake in a shape is that check's failure, and no disturbance."""
    frame = pack_frame([torch.zeros(MAX_REPLY + 1, dtype=torch.uint8), torch.ones(2)], most=MAX_REPLY)
    header_length, payload_length = unpack_prefix(frame[: PREFIX.size], MAX_REPLY)
    start = PREFIX.size + header_length

    large, small = unpack_frame(frame[PREFIX.size : start], frame[start:])

    assert 8 == payload_length
    assert Opaque("a tensor with more elements than may cross") == large
    assert [1, 1] == small.tolist()
