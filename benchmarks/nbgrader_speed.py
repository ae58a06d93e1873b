"""
Time three ways of grading the same class for nbgrader: this kit's two, and plain nbgrader with hand-written tests.

Usage: python benchmarks/nbgrader_speed.py [STUDENTS]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ASSIGNMENT, NAME = "attention", "attention.ipynb"
BY_HAND = """
import torch
x = torch.arange(24.0).reshape(2, 3, 4)
parts = split_heads(x, 2)
assert parts.shape == (2, 2, 3, 2)
assert torch.equal(parts, x.reshape(2, 3, 2, 2).transpose(1, 2))
assert torch.equal(merge_heads(parts), x)
"""


def run(course: Path, *command: str) -> float:
    """Run a command in a course and return the seconds that it took."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    begin = [sys.executable, "-m", "nbgrader"] if command[0] == "nbgrader" else [sys.executable, "-c", _GRADE]
    environment = {**os.environ, "PATH": path}
    started = time.perf_counter()
    subprocess.run([*begin, *command[1:]], cwd=course, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


_GRADE = "from grader.cli.main import main; main()"


def without_kit(notebook: Any) -> None:
    """Put hand-written tests in place of this kit's cells: the first graded cell holds them, the others go."""
    graded = [cell for cell in notebook["cells"] if cell["metadata"]["nbgrader"]["grade"]]
    graded[0]["source"] = BY_HAND
    dropped = [*graded[1:], *(cell for cell in notebook["cells"] if "grader.notebook" in "".join(cell["source"]))]
    notebook["cells"] = [cell for cell in notebook["cells"] if cell not in dropped]


def make_course(course: Path, students: int, *, by_hand: bool) -> None:
    """Write a course in which everybody hands in the solution."""
    course.mkdir()
    run(course, "grade", "nbgrader", "source", ".", "--only", "heads")
    source = course / "source" / ASSIGNMENT / NAME
    if by_hand:
        (course / "nbgrader_config.py").write_text("c = get_config()\n")
        notebook = json.loads(source.read_text())
        without_kit(notebook)
        source.write_text(json.dumps(notebook))
    run(course, "nbgrader", "generate_assignment", ASSIGNMENT)
    for number in range(students):
        folder = course / "submitted" / f"student{number:03}" / ASSIGNMENT
        folder.mkdir(parents=True)
        shutil.copy(source, folder / NAME)


def main() -> None:
    """Print a table."""
    students = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    print(f"{students} students, exercise heads, {os.cpu_count()} cores. Feedback is part of the first line only.")
    ways = {
        "grade batch --nbgrader": (False, ("grade", "batch", "--nbgrader", ".", "--assignment", ASSIGNMENT)),
        "nbgrader autograde, this kit": (False, ("nbgrader", "autograde", ASSIGNMENT)),
        "nbgrader autograde, hand-written tests": (True, ("nbgrader", "autograde", ASSIGNMENT)),
    }
    with tempfile.TemporaryDirectory() as folder:
        for number, (way, (by_hand, command)) in enumerate(ways.items()):
            course = Path(folder) / str(number)
            make_course(course, students, by_hand=by_hand)
            print(f"{way:40}{run(course, *command):8.1f} s", flush=True)


if __name__ == "__main__":
    main()
