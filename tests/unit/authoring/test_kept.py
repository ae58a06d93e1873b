"""A kept proof holds for exactly what it was made of."""

import shutil
from pathlib import Path

import pytest

from grader.authoring import course
from grader.authoring.equivalents import MutantCounts
from grader.authoring.kept import KeptProofs
from grader.authoring.prove import ExerciseProof, Tally
from grader.course.load import load_course
from grader.course.trees import CourseTrees
from grader.model.course import Exercise
from grader.model.errors import CourseError
from grader.model.report import Environment
from tests.conftest import MINI_COURSE

PROOF = ExerciseProof(
    exercise="layer",
    checks=21,
    mutants=MutantCounts(total=60, killed=53, equivalent=4),
    right_code=Tally(1234, 0),
    environment=Environment(kit="9.8.7", python="3.12.1", torch="2.5.6", platform="Linux", device="cpu"),
)


@pytest.fixture
def trees(tmp_path: Path) -> CourseTrees:
    """A course that a test may change."""
    return CourseTrees(shutil.copytree(MINI_COURSE, tmp_path / "course"))


@pytest.fixture
def layer(trees: CourseTrees) -> Exercise:
    """An exercise that builds on another."""
    return load_course(trees).exercise("layer")


def test_a_proof_is_read_as_it_was_written(trees: CourseTrees, layer: Exercise, tmp_path: Path) -> None:
    """Counts, environment and all."""
    kept = KeptProofs(tmp_path / "new" / "kept", trees, "3 seeds")
    kept.write(layer, PROOF)

    assert kept.read(layer) == PROOF


@pytest.mark.parametrize(
    "file",
    [
        "exercises/layer.py",
        "solutions/layer.py",
        "tests/hidden/test_layer.py",
        "pictures/layer.py",
        "tests/hidden/wheats/double/stand_in.py",
    ],
)
def test_a_proof_of_other_files_does_not_hold(file: str, trees: CourseTrees, layer: Exercise, tmp_path: Path) -> None:
    """Whatever the verdicts of the exercise follow from counts, the stand-ins that it is given too."""
    kept = KeptProofs(tmp_path / "kept", trees, "3 seeds")
    kept.write(layer, PROOF)

    with (trees.root / file).open("a") as changed:
        changed.write("\nchanged = True\n")

    assert kept.read(layer) is None


@pytest.mark.parametrize(
    ("file", "old", "new", "holds"),
    [
        ("exercises/layer.py", '"""', '"""Another lesson. ', True),
        ("solutions/layer.py", "\nclass ", "\n\n# Another comment.\nclass ", True),
        ("rubrics/layer.yaml", "hint: ", "hint: Another hint. ", True),
        ("rubrics/layer.yaml", "title: ", "title: Another title. ", True),
        ("rubrics/layer.yaml", "criteria:", "forbids: [{name: math.prod, why: No.}]\ncriteria:", False),
    ],
)
def test_a_proof_holds_whatever_the_words(
    file: str, old: str, new: str, holds: bool, trees: CourseTrees, layer: Exercise, tmp_path: Path
) -> None:
    """A better hint or comment makes no work."""
    kept = KeptProofs(tmp_path / "kept", trees, "3 seeds")
    kept.write(layer, PROOF)

    text = (trees.root / file).read_text("utf-8")
    assert old in text
    (trees.root / file).write_text(text.replace(old, new, 1), "utf-8")

    assert kept.read(load_course(trees).exercise("layer")) == (PROOF if holds else None)


def test_a_change_elsewhere_makes_no_work(trees: CourseTrees, layer: Exercise, tmp_path: Path) -> None:
    """Another exercise's suite is not this one's business."""
    kept = KeptProofs(tmp_path / "kept", trees, "3 seeds")
    kept.write(layer, PROOF)

    with trees.suite("double").open("a") as changed:
        changed.write("\n# changed\n")

    assert PROOF == kept.read(layer)


def test_a_proof_on_fewer_seeds_does_not_hold_for_more(trees: CourseTrees, layer: Exercise, tmp_path: Path) -> None:
    """What was tried belongs to what was proved."""
    KeptProofs(tmp_path, trees, "3 seeds").write(layer, PROOF)

    assert KeptProofs(tmp_path, trees, "20 seeds").read(layer) is None


def test_half_a_proof_is_none(trees: CourseTrees, layer: Exercise, tmp_path: Path) -> None:
    """Writing may have been interrupted."""
    kept = KeptProofs(tmp_path / "kept", trees, "3 seeds")
    kept.write(layer, PROOF)
    (file,) = (tmp_path / "kept").iterdir()
    file.write_bytes(file.read_bytes()[:50])

    assert kept.read(layer) is None


def test_a_folder_that_cannot_be_made_is_one_line(trees: CourseTrees, layer: Exercise, tmp_path: Path) -> None:
    """It says what to do."""
    (tmp_path / "file").write_text("")

    with pytest.raises(CourseError, match="file: cannot be written .*; give --keep another folder"):
        KeptProofs(tmp_path / "file", trees, "3 seeds").write(layer, PROOF)


def test_only_what_changed_is_proved_again(trees: CourseTrees, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unsound exercise is not kept, and neither is one proved twice."""
    proved = []

    class Prover:
        def __init__(self, exercise: Exercise, **_: object) -> None:
            self.exercise = exercise.id

        def prove(self) -> ExerciseProof:
            proved.append(self.exercise)
            problems = ["something is wrong"] if self.exercise == "double" else []
            return ExerciseProof(exercise=self.exercise, checks=1, problems=problems)

    monkeypatch.setattr(course, "ExerciseProver", Prover)

    for _ in range(2):
        proof = course.prove_course(trees, ["layer", "double"], seeds=1, chaff_seeds=1, jobs=1, keep=tmp_path / "kept")

    assert ["layer", "double"] == sorted(proved[:2], reverse=True)
    assert ["double"] == proved[2:]
    assert ["double: something is wrong"] == list(proof.all_problems())
