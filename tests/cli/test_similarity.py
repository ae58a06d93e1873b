"""`grade similarity`: what an instructor types to see which hand-ins are alike."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli.main import grade
from tests.conftest import QUIZ_COURSE
from tests.unit.similarity.handed_in import FIVE_LINES, OWN_WORK, disguise


@pytest.fixture
def class_folder(tmp_path: Path) -> Path:
    """Five students: two right solutions of their own, one stub, and one work in two forms."""
    texts = {
        "ann": OWN_WORK,
        "bob": disguise(OWN_WORK),
        "carl": FIVE_LINES[0],
        "dora": FIVE_LINES[1],
        "emil": "x = 1\n",
    }
    for student, text in texts.items():
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        (folder / "scaling.py").write_text(text)
    return tmp_path / "class"


def test_the_pair_is_listed_and_nobody_else(class_folder: Path, tmp_path: Path) -> None:
    """In words that accuse nobody, and side by side on a page."""
    page = tmp_path / "alike.html"

    result = CliRunner().invoke(grade, ["similarity", str(class_folder), "--output", str(page)])

    assert 0 == result.exit_code, result.output
    assert "5 submissions compared: 1 pair with more in common" in result.output
    assert "ann 100% · bob 100%" in result.output
    assert "carl" not in result.output
    assert "What is alike proves nothing about why." in result.output
    assert "torch.maximum(self.highest" in page.read_text("utf-8")


def test_json_is_json_and_nothing_else(class_folder: Path) -> None:
    """For programs."""
    result = CliRunner().invoke(grade, ["similarity", str(class_folder), "--json"])

    [pair] = json.loads(result.stdout)["pairs"]
    assert ("ann", "bob") == (pair["left"]["student"]["id"], pair["right"]["student"]["id"])


def test_a_source_that_is_not_there_is_wrong_usage() -> None:
    """With its name."""
    result = CliRunner().invoke(grade, ["similarity", "no such folder"])

    assert 2 == result.exit_code
    assert "no such folder" in result.output


def test_predictions_with_one_seed_are_told(tmp_path: Path) -> None:
    """Also where a file cannot be read; students with seeds of their own are not in the list."""
    page = tmp_path / "alike.html"
    for student, seed in {"ann": "seed: 7\nanswers: [", "bob": "seed: 7\n", "carl": "seed: 8\n"}.items():
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        (folder / "halve.yaml").write_text(seed)
        (folder / "halve.py").write_text(f"def halve(x):\n    return x / 2  # {student}\n")
    command = ["similarity", str(tmp_path / "class"), "--course", str(QUIZ_COURSE)]

    result = CliRunner().invoke(grade, [*command, "--output", str(page)])
    as_json = CliRunner().invoke(grade, [*command, "--json"])

    assert "Predictions with one seed, in halve: ann, bob\n" in result.output
    assert "<strong>halve</strong>: <bdi>ann</bdi>, <bdi>bob</bdi>" in page.read_text("utf-8")
    [shared] = json.loads(as_json.stdout)["shared_seeds"]
    assert ("halve", ["ann", "bob"]) == (shared["exercise"], [student["id"] for student in shared["students"]])
