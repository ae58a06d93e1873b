"""
Send frames that somebody broke on purpose to the decoder, and see that it only ever refuses in its own words.

Run: ``python benchmarks/fuzz_wire.py [--inputs 1000000] [--seed 1]``. Each input is a valid frame with a few mutations
of its prefix, its JSON or its payload, or bytes of chance. Whatever is accepted must be plain values that can be
written again. Ends with status 1 at the first other exception, and prints the input.
"""

import argparse
import collections
import json
import random
import resource
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from grader.sandbox.channel import unpack_received
from grader.sandbox.wire import (
    PREFIX,
    ActiveDevice,
    Handle,
    Opaque,
    ProtocolError,
    pack_frame,
    split_frame,
    unpack_prefix,
)

_STRANGE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 2**64, 10**400, 0.5, 1e308, "", "nan", "inf", "float32",
    "bool", "\ud800", "\x00", "x" * 300, [], {}, [[]], {"tensor": 0}, {"tensor": 1}, {"tensor": True}, {"tuple": [1]},
    {"list": [[]]}, {"dict": [["a", 1]]}, {"dict": [[1, 1]]}, {"dict": [["\udfff", None]]}, {"opaque": "\ud800"},
    {"opaque": 1}, {"handle": [0, "A"]}, {"handle": [2**31, "A"]}, {"handle": [0]}, {"float": "nan"}, {"float": 1},
    {"device": True}, {"device": 1}, {"tensor": 0, "list": []}, {"dtype": "int8", "shape": [0]},
    {"dtype": "float64", "shape": [2**20, 2**20, 0]}, {"dtype": "float64", "shape": [1] * 13},
)  # fmt: skip
_BYTES = (
    b'"',
    b"\\ud800",
    b"{",
    b"[",
    b"]",
    b"}",
    b",",
    b"1e999",
    b"NaN",
    b"-",
    b"\xff",
    b"\x00",
    b"9" * 5_000,
    b"[" * 300,
)


def seeds() -> list[bytes]:
    """Return valid frames with everything that the protocol has."""
    tensors = [
        torch.arange(6.0).reshape(2, 3),
        torch.zeros(0, 4),
        torch.tensor(1.5),
        torch.ones(2, 2, dtype=torch.bool),
    ]
    values: list[Any] = [
        None,
        {"id": 1, "reply": {"ok": True, "value": tensors[0], "changed": [0], "devices": ["cpu"]}},
        {
            "id": 2,
            "reply": {"ok": False, "kind": "raised", "type": "E", "message": "m", "frames": [["f", 1, "g", "x"]]},
        },
        (1, 2.5, float("nan"), "Ⓐ", [True, None], Handle(3, "Layer"), ActiveDevice(), Opaque("thing")),
        {
            "parameters": {"W_q.weight": tensors[0].double(), "b": tensors[2]},
            "trainable": ["W_q.weight"],
            "mask": tensors[3],
        },
        [tensors[1], tensors[0].to(torch.bfloat16), tensors[0].to(torch.complex64), tensors[0].to(torch.int8)],
    ]
    return [pack_frame(value) for value in values]


def mutate_json(random_: random.Random, node: Any) -> Any:
    """Return JSON with one place in it changed."""
    if isinstance(node, dict) and node and random_.random() < 0.85:
        key = random_.choice(list(node))
        changed = dict(node)
        what = random_.random()
        if what < 0.1:
            del changed[key]
        elif what < 0.2:
            changed[random_.choice(["value", "tensors", "dtype", "shape", "strides", "tensor", "list"])] = changed.pop(
                key
            )
        else:
            changed[key] = mutate_json(random_, node[key])
        return changed
    if isinstance(node, list) and node and random_.random() < 0.85:
        changed, place = list(node), random_.randrange(len(node))
        what = random_.random()
        if what < 0.1:
            del changed[place]
        elif what < 0.2:
            changed += [changed[place]] * random_.choice([1, 2, 30])
        else:
            changed[place] = mutate_json(random_, node[place])
        return changed
    if type(node) is int and random_.random() < 0.5:
        return node + random_.choice([-1, 1, 255, 2**20, 2**40])
    return random_.choice(_STRANGE)


def mutate_bytes(random_: random.Random, data: bytes) -> bytes:
    """Return the bytes with a few of them changed, removed or added."""
    changed = bytearray(data)
    for _ in range(random_.randint(1, 4)):
        place = random_.randrange(len(changed) + 1)
        what = random_.random()
        if what < 0.4 and place < len(changed):
            changed[place] = random_.randrange(256)
        elif what < 0.6:
            del changed[place : place + random_.randint(1, 8)]
        elif what < 0.9:
            changed[place:place] = random_.choice(_BYTES)
        else:
            changed[place:place] = random_.randbytes(random_.randint(1, 16))
    return bytes(changed)


def make_input(random_: random.Random, valid: list[bytes]) -> bytes:
    """Return one input."""
    frame = random_.choice(valid)
    what = random_.random()
    if what < 0.02:
        return random_.randbytes(random_.randint(0, 64))
    if what < 0.12:
        return mutate_bytes(random_, frame)
    header, payload = split_frame(frame)
    if what < 0.4:
        header = mutate_bytes(random_, header)
    elif what < 0.97:
        head = json.loads(header)
        for _ in range(random_.randint(1, 3)):
            head = mutate_json(random_, head)
        header = json.dumps(head).encode()
    if random_.random() < 0.1:
        payload = mutate_bytes(random_, payload)
    return PREFIX.pack(frame[:4], len(header), len(payload)) + header + payload


def decode(data: bytes) -> Any:
    """Decode an input as the trusted end of a channel does."""
    if len(data) < PREFIX.size:
        raise ProtocolError("shorter than a prefix")
    header_length, payload_length = unpack_prefix(data[: PREFIX.size])
    rest = data[PREFIX.size :]
    if len(rest) < header_length + payload_length:
        raise ProtocolError("the rest never comes")  # the channel waits for it until the deadline
    return unpack_received(rest[:header_length], rest[header_length : header_length + payload_length])


def assert_plain(value: Any) -> None:
    """Fail unless this is made of the protocol's kinds alone, exactly."""
    if type(value) is torch.Tensor:
        assert value.is_contiguous()
        assert value.device.type == "cpu"
        assert not value.requires_grad
    elif type(value) in (list, tuple):
        for item in value:
            assert_plain(item)
    elif type(value) is dict:
        for key, item in value.items():
            assert type(key) is str
            key.encode()
            assert_plain(item)
    elif type(value) is str:
        value.encode()
    else:
        assert type(value) in (type(None), bool, int, float, Handle, Opaque, ActiveDevice)


def main() -> None:
    """Count what becomes of the inputs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random_, valid = random.Random(arguments.seed), seeds()
    for frame in valid:
        assert_plain(decode(frame))
    counts: collections.Counter[str] = collections.Counter()
    started, slowest = time.monotonic(), 0.0
    for _ in range(arguments.inputs):
        data = make_input(random_, valid)
        before = time.perf_counter()
        try:
            assert_plain(decode(data))
            counts["accepted"] += 1
        except ProtocolError:
            counts["refused"] += 1
        except BaseException:
            print(f"input: {data!r}", file=sys.stderr)
            raise
        slowest = max(slowest, time.perf_counter() - before)
    seconds = time.monotonic() - started
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{arguments.inputs} inputs in {seconds:.0f} s: {counts['refused']} refused, {counts['accepted']} accepted")
    print(f"slowest: {slowest * 1e3:.0f} ms; most memory of the process: {peak_mb} MB")


if __name__ == "__main__":
    main()
