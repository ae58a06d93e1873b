"""
Time three ways of grading the same class for nbgrader: this kit's two, and plain nbgrader with hand-written tests.

Usage: ``python benchmarks/nbgrader_speed.py [STUDENTS] [--only EXERCISE …]``. Everybody hands in the solutions of the
exercises for which there are tests written by hand below: a handful of asserts each, as an instructor writes them,
where this kit makes all its checks. Printed are seconds by the clock, which depend on what else the machine does, and
processor time, which hardly does, for the whole command and for one more student: a class of two is taken off.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

ASSIGNMENT, NAME = "attention", "attention.ipynb"
FEW = 2
BY_HAND = {
    "masking": """
mask = combine_masks(create_padding_mask(torch.tensor([2, 3]), 3), create_causal_mask(3))
assert mask.shape == (2, 1, 3, 3)
assert not mask[:, 0].triu(diagonal=1).any()
weights = masked_softmax(torch.randn(2, 4, 3, 3), mask)
assert torch.allclose(weights.sum(-1), torch.ones(2, 4, 3))
assert (weights.masked_select(~mask) == 0).all()
""",
    "scaling": """
query, key, value = torch.randn(2, 5, 4), torch.randn(2, 7, 4), torch.randn(2, 7, 3)
output, weights = scaled_dot_product_attention(query, key, value)
expected = (query @ key.transpose(-2, -1) / 2).softmax(-1)
assert torch.allclose(weights, expected, atol=1e-6)
assert torch.allclose(output, expected @ value, atol=1e-6)
""",
    "heads": """
x = torch.arange(24.0).reshape(2, 3, 4)
parts = split_heads(x, 2)
assert torch.equal(parts, x.reshape(2, 3, 2, 2).transpose(1, 2))
assert torch.equal(merge_heads(parts), x)
""",
    "multihead": """
attention = MultiHeadAttention(8, 2)
x = torch.randn(2, 5, 8)
output, weights = attention(x, x, x)
assert output.shape == (2, 5, 8) and weights.shape == (2, 2, 5, 5)
assert torch.allclose(weights.sum(-1), torch.ones(2, 2, 5), atol=1e-6)
""",
    "positional": """
table = sinusoidal_encoding(50, 8)
assert torch.allclose(table[0, 0::2], torch.zeros(4)) and torch.allclose(table[0, 1::2], torch.ones(4))
assert torch.allclose(table[1, :2], torch.tensor([0.8415, 0.5403]), atol=1e-4)
x = torch.randn(2, 5, 8)
assert torch.allclose(PositionalEncoding(8, dropout=0.0)(x), x + table[:5], atol=1e-5)
""",
}


class Took(NamedTuple):
    """What a command took."""

    wall_s: float
    cpu_s: float


def run(course: Path, *command: str) -> Took:
    """Run a command in a course."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    begin = [sys.executable, "-m", "nbgrader"] if command[0] == "nbgrader" else [sys.executable, "-c", _GRADE]
    environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
    started, before = time.perf_counter(), _children_s()
    done = subprocess.run([*begin, *command[1:]], cwd=course, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return Took(time.perf_counter() - started, _children_s() - before)


_GRADE = "from grader.cli.main import main; main()"


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def without_kit(notebook: Any) -> None:
    """Put hand-written tests in place of this kit's cells: one cell for each exercise, the others go."""
    kept, begun = [], set()
    for cell in notebook["cells"]:
        about = cell["metadata"]["nbgrader"]
        exercise = about["grade_id"].partition("-")[0]
        if about["grade"] and exercise not in begun:
            begun.add(exercise)
            cell["source"] = f"import torch\n{BY_HAND[exercise]}"
        elif about["grade"] or "grader.notebook" in "".join(cell["source"]):
            continue
        kept.append(cell)
    notebook["cells"] = kept


def make_course(course: Path, students: int, exercises: list[str], *, by_hand: bool) -> None:
    """Write a course in which everybody hands in the solution."""
    course.mkdir()
    only = [part for exercise in exercises for part in ("--only", exercise)]
    run(course, "grade", "nbgrader", "source", ".", *only)
    source = course / "source" / ASSIGNMENT / NAME
    if by_hand:
        (course / "nbgrader_config.py").write_text("c = get_config()\nc.Execute.timeout = 600\n")
        notebook = json.loads(source.read_text())
        without_kit(notebook)
        source.write_text(json.dumps(notebook))
    run(course, "nbgrader", "generate_assignment", ASSIGNMENT)
    for number in range(students):
        folder = course / "submitted" / f"student{number:03}" / ASSIGNMENT
        folder.mkdir(parents=True)
        # A comment apart, so that nobody's grading is another's.
        notebook = json.loads(source.read_text())
        answer = next(cell for cell in notebook["cells"] if cell["metadata"]["nbgrader"]["solution"])
        answer["source"] = f"{''.join(answer['source'])}\n# {number}"
        (folder / NAME).write_text(json.dumps(notebook))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("students", nargs="?", type=int, default=30)
    parser.add_argument("--only", nargs="+", choices=list(BY_HAND), default=list(BY_HAND), metavar="EXERCISE")
    arguments = parser.parse_args()
    students, exercises = arguments.students, arguments.only
    print(f"{students} students, {', '.join(exercises)}, {os.cpu_count()} cores. Feedback is part of the first alone.")
    print(f"{'':42}{'by the clock':>22}{'processor':>22}")
    print(f"{'':42}{'all':>11}{'one more':>11}{'all':>11}{'one more':>11}")
    ways = {
        "grade batch --nbgrader": (False, ("grade", "batch", "--nbgrader", ".", "--assignment", ASSIGNMENT)),
        "nbgrader autograde, this kit": (False, ("nbgrader", "autograde", ASSIGNMENT)),
        "nbgrader autograde, hand-written tests": (True, ("nbgrader", "autograde", ASSIGNMENT)),
    }
    each: dict[str, Took] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, (way, (by_hand, command)) in enumerate(ways.items()):
            took = {}
            for size in (FEW, students):
                course = Path(folder) / f"{number}-{size}"
                make_course(course, size, exercises, by_hand=by_hand)
                took[size] = run(course, *command)
            whole = took[students]
            more = [(after - before) / (students - FEW) for after, before in zip(whole, took[FEW], strict=True)]
            each[way] = Took(*more)
            print(f"{way:42}{whole.wall_s:9.1f} s{more[0]:9.2f} s{whole.cpu_s:9.1f} s{more[1]:9.2f} s", flush=True)
    first, _, plain = each.values()
    wall, cpu = plain.wall_s / first.wall_s, plain.cpu_s / first.cpu_s
    print(f"one more student: the last takes {wall:.1f} times as long as the first, and {cpu:.1f} times the processor")


if __name__ == "__main__":
    main()
