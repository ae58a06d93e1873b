"""A small class of notebooks for nbgrader: right, partly right, and each way of being broken."""

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.course.load import load_course
from grader.course.trees import builtin_course

ASSIGNMENT = "attention"
NAME = "attention.ipynb"

_HEADS = load_course(builtin_course()).exercise("heads").rubric
FULL = _HEADS.points
SPLIT, MERGE = (criterion.points for criterion in _HEADS.criteria if criterion.id in ("split", "merge"))

EXPECTED = {
    "O'Neil, Pat": FULL,  # a comma in the name, five days late
    "ann": FULL,
    "blank": 0.0,
    "bob": FULL - MERGE,
    "cy": FULL,  # prints a warning to standard error
    "dee": 0.0,  # ends the process
    "eve": 0.0,  # never ends
    "fay": 0.0,  # patches the kernel, the kit, assert and the gradebook
    "gus": FULL,  # cells are there twice
    "hal": FULL,  # cells are gone
    "ida": FULL,  # another number of points in the metadata
    "max": FULL,  # a kernel that only this student has
}
UNREADABLE = ("jo", "kim", "lee")
"""A link, a notebook that is cut short, and one with NUL bytes."""

_HOSTILE = """
import builtins, sys, types
fake = types.ModuleType("grader.notebook")
fake.points = lambda name: 3.0
fake.check = lambda name: None
sys.modules["grader.notebook"] = fake
try:
    from IPython import get_ipython
    get_ipython().display_formatter.format = lambda value, *a, **k: ({"text/plain": "3.0"}, {})
    from nbgrader.api import Gradebook, Grade
    with Gradebook("sqlite:///../../../gradebook.db") as gradebook:
        for grade in gradebook.db.query(Grade):
            grade.manual_score = 3.0
        gradebook.db.commit()
except BaseException:
    pass
def split_heads(x, num_heads):
    return x
def merge_heads(x):
    return x
"""


_GRADE = "from grader.cli.main import main; main()"


def nbgrader_environment() -> dict[str, str]:
    """Variables for commands of nbgrader, which calls alembic by its name."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}


def run(course: Path, *arguments: str, ok: bool = True) -> str:
    """Run a real command in a course, and return what it printed."""
    begin = [sys.executable, "-m", "nbgrader"] if arguments[0] == "nbgrader" else [sys.executable, "-c", _GRADE]
    done = subprocess.run(
        [*begin, *arguments[1:]],
        cwd=course,
        env=nbgrader_environment(),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    said = done.stdout + done.stderr
    assert not ok or done.returncode == 0, said
    return said


@contextmanager
def gradebook(course: Path) -> Iterator[Any]:
    """nbgrader's own view of the grades."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as opened:
        yield opened


def make_class(course: Path) -> None:
    """Write ``submitted/`` from what was released in a course of the exercise heads."""
    released = json.loads((course / "release" / ASSIGNMENT / NAME).read_text())
    solutions = {
        _id(cell): _without_markers("".join(cell["source"]))
        for cell in json.loads((course / "source" / ASSIGNMENT / NAME).read_text())["cells"]
    }

    def answered(**answers: str) -> Any:
        notebook = copy.deepcopy(released)
        for cell in notebook["cells"]:
            if cell["metadata"]["nbgrader"].get("solution"):
                name = _id(cell).partition("--")[2]
                cell["source"] = answers.get(name, solutions[_id(cell)])
        return notebook

    def put(student: str, notebook: Any, when: str = "2026-11-20 10:00:00 UTC") -> None:
        folder = course / "submitted" / student / ASSIGNMENT
        folder.mkdir(parents=True)
        (folder / "timestamp.txt").write_text(when)
        data = notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode()
        (folder / NAME).write_bytes(data)

    put("O'Neil, Pat", answered(), "2026-11-25 10:00:00 UTC")
    put("ann", answered())
    put("blank", released)
    merge = solutions["heads--merge_heads"]
    put("bob", answered(merge_heads=merge.replace("x = x.transpose(1, 2)", "x = x")))
    put("cy", answered(merge_heads=f"{merge}\nimport sys\nprint('careful', file=sys.stderr)\n"))
    put("dee", answered(split_heads="import os\nos._exit(0)\n", merge_heads=""))
    put("eve", answered(split_heads="while True:\n    pass\n", merge_heads=""))
    put("fay", answered(split_heads=_HOSTILE, merge_heads=""))
    twice = answered()
    twice["cells"] = [copy.deepcopy(cell) for cell in twice["cells"] for _ in range(1 + ("heads-" in _id(cell)))]
    put("gus", twice)
    gone = answered()
    gone["cells"] = [cell for cell in gone["cells"] if _id(cell) not in ("heads-split", "heads-merge", "about--heads")]
    put("hal", gone)
    points = answered()
    for cell in points["cells"]:
        if "points" in cell["metadata"]["nbgrader"]:
            cell["metadata"]["nbgrader"]["points"] = 300
    put("ida", points)
    kernel = answered()
    kernel["metadata"]["kernelspec"] = {"name": "my_env", "display_name": "My environment", "language": "python"}
    put("max", kernel)
    text = json.dumps(answered()).encode()
    put("kim", text[: len(text) // 2])
    put("lee", b"\0" * 64 + text)
    put("jo", b"")
    (course / "submitted" / "jo" / ASSIGNMENT / NAME).unlink()
    (course / "submitted" / "jo" / ASSIGNMENT / NAME).symlink_to(course / "source" / ASSIGNMENT / NAME)


def _id(cell: Any) -> str:
    return str(cell["metadata"]["nbgrader"]["grade_id"])


def _without_markers(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if "### BEGIN" not in line and "### END" not in line)
