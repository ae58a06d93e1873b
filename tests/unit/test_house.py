"""The house: each room imports only rooms below it, and only the rooms that run tensors import torch."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import grader

ROOT = Path(grader.__file__).parent
BELOW = {
    "model": set(),
    "course": {"model"},
    "sandbox": {"model"},
    "suite": {"model", "course", "sandbox"},
    "intake": {"model"},
    "grading": {"model", "course", "sandbox", "suite", "intake"},
    "authoring": {"model", "course", "grading"},
    "similarity": {"model", "intake"},
    "report": {"model"},
    "notebook": {"model", "course", "intake", "grading", "report"},
    "gradebooks": {"model", "report", "notebook"},
    "cli": {
        "model",
        "course",
        "sandbox",
        "suite",
        "intake",
        "grading",
        "authoring",
        "report",
        "gradebooks",
        "similarity",
        "notebook",
    },
}
RUNS_TENSORS = {"sandbox", "suite", "grading"}
FILES = sorted(path for path in ROOT.rglob("*.py") if "_course" not in path.parts)


def imported(path: Path) -> set[str]:
    """Every module that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def room_of(path: Path) -> str:
    """The room that a file lies in; empty for the package's own file."""
    parts = path.relative_to(ROOT).parts
    return parts[0] if len(parts) > 1 else ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_imports_only_rooms_below_it(path: Path) -> None:
    """The tree shows the design: arrows point down."""
    room = room_of(path)
    rooms = {name.split(".")[1] for name in imported(path) if name.startswith("grader.")} & BELOW.keys()

    assert rooms - {room} <= BELOW.get(room, set())


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_torch_stays_in_the_rooms_that_run_tensors(path: Path) -> None:
    """So that everything else is quick."""
    uses_torch = any(name.split(".")[0] == "torch" for name in imported(path))

    assert not uses_torch or room_of(path) in RUNS_TENSORS


def test_the_model_is_pure() -> None:
    """pydantic and the standard library, no input or output."""
    allowed = {"pydantic", "grader", *sys.stdlib_module_names} - {"os", "pathlib", "subprocess", "io", "socket"}

    for path in (ROOT / "model").glob("*.py"):
        assert {name.split(".")[0] for name in imported(path)} <= allowed, path


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_says_its_one_job(path: Path) -> None:
    """In the first line of its docstring."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))

    assert docstring, path
    assert len(docstring.splitlines()[0]) <= 120


@pytest.mark.parametrize(
    "command", [["--help"], ["hint", "--help"], ["list"], ["hint", "heads", "--rung", "1"], ["schema", "report"]]
)
def test_what_runs_no_tensors_never_imports_torch(command: list[str], tmp_path: Path) -> None:
    """`grade --help` must not take as long as importing torch."""
    code = (
        "import sys\nfrom grader.cli.main import grade\n"
        f"try:\n    grade({command!r})\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        "assert 'torch' not in sys.modules"
    )

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)

    assert 0 == result.returncode, result.stderr


def test_what_coordinates_a_class_never_imports_torch() -> None:
    """Only its runners do, so that it stays small and quick to start."""
    modules = "grader.cli.class_run, grader.cli.batch, grader.cli.publish, grader.grading.plan, grader.grading.reader"
    code = (
        f"import sys, {modules}, grader.intake.classroom, grader.report.class_folder\nassert 'torch' not in sys.modules"
    )

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert 0 == result.returncode, result.stderr
