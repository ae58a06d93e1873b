"""
Hand in files that somebody broke on purpose, and see that reading them ends in words and in time.

Run: ``python benchmarks/fuzz_readers.py [--inputs 20000] [--seed 1]``. Each input is a module, a notebook or a zip
with a few mutations, read and searched for promised names and for what is forbidden, as the grader does before anything
runs. Only `SubmissionError` may come out. Ends with status 1 at the first other exception, and prints the input.
"""

import argparse
import collections
import io
import json
import random
import sys
import tempfile
import time
import warnings
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.intake.locate import locate_entries
from grader.intake.reading import read_submission
from grader.model.errors import SubmissionError
from grader.model.rubric import Forbidden
from grader.suite.claims import Claims
from grader.suite.forbidden import find_forbidden

PROMISES = {"double": ("double",), "layer": ("Layer",)}
FORBIDS = [Forbidden(name="torch.mul", why="By hand.")]
_MODULE = """# -*- coding: utf-8 -*-
import torch as t, base64
from .helper import *
times_two = lambda x: getattr(t, "m" + "ul")(x, 2)
class Layer(t.nn.Module):
    def forward(self, x: "t.Tensor") -> "t.Tensor":
        return [y for y in map(times_two, [x])][0] if (z := x.sum()) else eval("t.mul(x, 2)")
def double(x, times=1, *a, **k):
    '''Doc ü 🙂.'''
    match times:
        case 0: return x
        case _: return double(x + x, times - 1)
if __name__ == "__main__":
    print(f"{double(t.ones(2), 3)!r:>{10}}")
"""
_NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "language": "python"}},
        "cells": [
            {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["# Title"]},
            {
                "cell_type": "code",
                "id": "a",
                "metadata": {"nbgrader": {"grade_id": "double", "points": 4}},
                "outputs": [{"output_type": "stream", "name": "stdout", "text": "x"}],
                "execution_count": 1,
                "source": "%matplotlib inline\n!pip install x\nimport torch\n%%time\ny = !ls\n?torch",
            },
            {"cell_type": "code", "id": "b", "metadata": {}, "outputs": [], "execution_count": None, "source": _MODULE},
        ],
    }
)
_PIECES = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\t", b"'''", b'"', b"(" * 300, b"[" * 60, b"{",
    b"# coding: utf-7\n", b"# coding: rot13\n", b"lambda: " * 40, b"f'{", b"import double\n", b"from x import *\n",
    b"../", b"..\\", b"/etc/passwd", b"-" * 4_000, b"9" * 5_000, b"%%", b"!", b"null", b"1e999", b'{"cells": [', b"@",
    b"PK\x03\x04", b"\\",
)  # fmt: skip


def make_zip() -> bytes:
    """Return a zip of the kind that people hand in."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("work/double.py", _MODULE)
        archive.writestr("work/layer.ipynb", _NOTEBOOK)
        archive.writestr("work/conftest.py", "")
        archive.writestr("__MACOSX/._double.py", "x")
    return stream.getvalue()


def mutate(random_: random.Random, data: bytes) -> bytes:
    """Return the bytes with a few places changed, cut out, doubled or filled with something awkward."""
    changed = bytearray(data)
    for _ in range(random_.randint(1, 5)):
        place, what = random_.randrange(len(changed) + 1), random_.random()
        if what < 0.35 and place < len(changed):
            changed[place] = random_.randrange(256)
        elif what < 0.5:
            del changed[place : place + random_.randint(1, 40)]
        elif what < 0.6:
            changed[place:place] = changed[place : place + random_.randint(1, 200)] * random_.randint(1, 20)
        else:
            changed[place:place] = random_.choice(_PIECES)
    return bytes(changed)


def read(path: Path) -> str:
    """Do all that is done with a submission before anything of it runs; return what came of it."""
    try:
        submission = read_submission([path], exercise_ids=list(PROMISES), promises=PROMISES)
    except SubmissionError:
        return "refused"
    submission.model_dump_json()
    entries = locate_entries(submission, PROMISES)
    for exercise, entry in entries.items():
        if entry.path is not None:
            find_forbidden(submission.files, entry.path, PROMISES[exercise], FORBIDS)
    Claims(submission.files)
    return "read" if submission.files else "unreadable"


def main() -> None:
    """Count what becomes of the inputs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random_ = random.Random(arguments.seed)
    valid = {"double.py": _MODULE.encode(), "double.ipynb": _NOTEBOOK.encode(), "work.zip": make_zip()}
    counts: collections.Counter[str] = collections.Counter()
    started, slowest = time.monotonic(), 0.0
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.inputs):
            name = random_.choice(list(valid))
            path = Path(folder, name)
            path.write_bytes(mutate(random_, valid[name]))
            before = time.perf_counter()
            try:
                counts[read(path)] += 1
            except BaseException:
                print(f"input: {name}: {path.read_bytes()!r}", file=sys.stderr)
                raise
            slowest = max(slowest, time.perf_counter() - before)
            path.unlink()
    seconds = time.monotonic() - started
    told = ", ".join(f"{count} {what}" for what, count in counts.most_common())
    print(f"{arguments.inputs} inputs in {seconds:.0f} s: {told}; slowest: {slowest * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
