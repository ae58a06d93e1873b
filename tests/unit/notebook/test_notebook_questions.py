"""In a notebook, questions are a cell to fill in."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.course.load import load_course
from grader.course.trees import CourseTrees
from grader.intake.reading import read_submission
from grader.notebook import questions
from grader.notebook.released import answered_in
from grader.notebook.source import build_source
from tests.conftest import MINI_COURSE, QUIZ_COURSE

pytest.importorskip("nbformat")


@pytest.fixture
def next_cell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What IPython was asked to put into the next cell, in an empty folder."""
    cells: list[str] = []
    shell = SimpleNamespace(set_next_input=cells.append)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.chdir(tmp_path)
    return cells


def test_the_next_cell_holds_the_questions(next_cell: list[str], tmp_path: Path) -> None:
    """It writes the answers file, and a grading reads it from the notebook."""
    questions("halve", course=QUIZ_COURSE)

    (cell,) = next_cell
    assert cell.startswith("%%writefile halve.yaml\n")
    assert "What is half of" in cell
    notebook = {"cells": [{"cell_type": "code", "metadata": {}, "source": cell, "outputs": []}], "nbformat": 4}
    (tmp_path / "work.ipynb").write_text(json.dumps(notebook | {"metadata": {}, "nbformat_minor": 4}))
    submission = read_submission([tmp_path / "work.ipynb"], exercise_ids=["halve"], promises={"halve": ["halve"]})
    assert cell.split("\n", 1)[1].strip() == submission.answers[0].text.strip()


def test_what_was_answered_stays(next_cell: list[str], tmp_path: Path) -> None:
    """Running the cell again draws no other numbers."""
    (tmp_path / "halve.yaml").write_text("seed: 77\nanswers:\n  half: 3\n")

    questions("halve", course=QUIZ_COURSE)

    assert "seed: 77" in next_cell[0]
    assert "half: 3" in next_cell[0]


@pytest.mark.parametrize(
    ("course", "exercise", "said"),
    [(MINI_COURSE, "double", "double asks no questions."), (Path("/nowhere"), "halve", "halve: /nowhere is no course")],
)
def test_what_cannot_be_asked_is_one_line(
    course: Path, exercise: str, said: str, next_cell: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback in a notebook."""
    questions(exercise, course=course)

    assert said in capsys.readouterr().out
    assert [] == next_cell


def test_a_source_notebook_asks_where_there_are_questions() -> None:
    """In a locked cell of its own, which is no answer."""
    cells = {}
    for root in (QUIZ_COURSE, MINI_COURSE):
        trees = CourseTrees(root)
        cells |= {cell["id"]: cell for cell in json.loads(build_source(trees, load_course(trees)))["cells"]}
    asking = [name for name in cells if name.startswith("questions--")]

    assert ["questions--halve"] == asking
    assert 'questions("halve")' in "".join(cells["questions--halve"]["source"])
    assert cells["questions--halve"]["metadata"]["nbgrader"]["locked"]
    assert "" == answered_in("questions--halve")
