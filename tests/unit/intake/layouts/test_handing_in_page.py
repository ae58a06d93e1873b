"""The page about handing in shows trees that are recognised as it says."""

import re
from pathlib import Path

import pytest
from class_trees import read, write_tree

from grader.intake.classroom import LAYOUTS
from grader.intake.roster import read_roster

PAGE = (Path(__file__).parents[4] / "docs" / "handing_in.md").read_text(encoding="utf-8")
BLOCKS = re.split(r"^```\n", PAGE, flags=re.MULTILINE)
TREES = {
    next(name for name in re.findall(r"`(\w+)`", before) if name in LAYOUTS): block.splitlines()
    for before, block in zip(BLOCKS[::2], BLOCKS[1::2], strict=False)
    if block.startswith("class/")
}
METADATA = "submission_71:\n  :submitters:\n  - :name: Ann Doe\n    :sid: '007'\n"


def test_every_layout_has_a_tree() -> None:
    """So that an instructor finds their own."""
    assert sorted(LAYOUTS) == sorted(TREES)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_tree_is_recognised_as_the_page_says(tmp_path: Path, layout: str) -> None:
    """Every line of it belongs to somebody."""
    write_tree(tmp_path, {path: METADATA if path.endswith(".yml") else "" for path in TREES[layout]})

    classroom = read(tmp_path / "class")

    assert (layout, ()) == (classroom.layout, classroom.unmatched)


def test_the_roster_is_read(tmp_path: Path) -> None:
    """As the page shows it."""
    file = tmp_path / "roster.csv"
    file.write_text(next(block for block in BLOCKS if block.startswith("id,name")), encoding="utf-8")

    assert ["007", "008"] == [student.id for student in read_roster(file)]
