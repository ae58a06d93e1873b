"""A course becomes a notebook for nbgrader."""

import json
import shutil

import pytest

from grader.course.load import load_course
from grader.course.trees import CourseTrees
from grader.notebook.source import build_source
from tests.conftest import MINI_COURSE

pytest.importorskip("nbformat")


def test_a_bonus_has_a_cell_without_points(tmp_path):
    """The cells' points are the most that an assignment can give; nbgrader keeps what is on top as extra credit."""
    trees = CourseTrees(shutil.copytree(MINI_COURSE, tmp_path / "course"))
    rubric = trees.rubric("double")
    text = rubric.read_text("utf-8").replace("points: 4\n", "points: 3\n")
    rubric.write_text(text.replace("sense\n    points: 1\n", "sense\n    points: 1\n    bonus: true\n"), "utf-8")

    notebook = json.loads(build_source(trees, load_course(trees)))

    cells = {cell["id"]: cell for cell in notebook["cells"]}
    points = {name: cell["metadata"]["nbgrader"].get("points") for name, cell in cells.items()}
    (bonus,) = (name for name in cells if "refusal" in name)
    assert 0 == points[bonus]
    assert 6 == sum(each for each in points.values() if each)
    assert "1 point of bonus: Refuses what makes no sense" in "".join(cells[bonus]["source"])
