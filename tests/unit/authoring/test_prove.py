"""Whatever is wrong with a course is found and said in one line."""

import shutil
from pathlib import Path

import pytest

from grader.authoring.course import find_orphans, prove_course
from grader.course.load import load_course
from grader.course.trees import CourseTrees
from tests.conftest import MINI_COURSE, QUIZ_COURSE


@pytest.fixture
def copy(tmp_path: Path) -> CourseTrees:
    """A copy of the miniature course, to break."""
    ignored = shutil.ignore_patterns("__pycache__")
    return CourseTrees(Path(shutil.copytree(MINI_COURSE, tmp_path / "course", ignore=ignored)))


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text that must be there."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def problems(trees: CourseTrees) -> str:
    """What the proof complains of in the first exercise."""
    return "\n".join(prove_course(trees, ["double"], seeds=1, chaff_seeds=1).all_problems())


def test_a_sound_course_is_sound(copy: CourseTrees) -> None:
    """Counts of what was tried, and nothing to complain of."""
    proof = prove_course(copy, seeds=2, chaff_seeds=1)

    assert [] == list(proof.all_problems())
    assert proof.exercises[0].mutants is None
    assert (1, 5, 5) == (
        proof.exercises[0].wheats_accepted,
        proof.exercises[0].hollow,
        proof.exercises[0].hollow_refused,
    )
    assert (4, 0, 4, 0) == (
        proof.exercises[0].right_code.gradings,
        proof.exercises[0].right_code.wrong,
        proof.exercises[0].wrong_code.gradings,
        proof.exercises[0].wrong_code.wrong,
    )
    assert (4, 1, 4, 4) == (
        proof.exercises[0].checks,
        proof.exercises[0].wheats,
        proof.exercises[0].chaffs_rejected,
        proof.exercises[0].chaffs_named,
    )


def test_everything_else_is_found_at_once(copy: CourseTrees) -> None:
    """A stub that earns, a wheat that loses, a chaff that loses something else or has no name, and a vacuous check."""
    edit(copy.rubric("double"), "checks: [refuses_negative_times]", "checks: [refuses_negative_times, always_true]")
    edit(
        copy.suite("double"),
        "def test_passes_gradients",
        'def test_always_true(learner, draw):\n    """It holds."""\n\n\ndef test_passes_gradients',
    )
    edit(copy.stand_in("double"), "x = x + x", "x = x + x * 1.5")
    edit(copy.hidden / "chaffs/double/detached.py", "loses: [gradients]", "loses: [values]")
    edit(copy.hidden / "chaffs/double/only_once.py", "misconception: only_once", "misconception: another")
    same = (copy.hidden / "chaffs/double/only_once.py").read_text("utf-8")
    (copy.hidden / "chaffs/double/only_once_again.py").write_text(same.replace("another", "only_once"), "utf-8")

    found = problems(copy)

    assert "the untouched stub gets passed in always_true; expected todo" in found
    assert "wheat stand_in, seed 0: doubles is failed" in found
    assert "chaff detached, seed 0: loses gradients, expected values" in found
    assert "chaff only_once, seed 0: is named nothing, expected 'another'" in found
    assert "an answer without work (zeros) passes always_true" in found
    assert "always_true failed for no chaff" in found


def test_names_that_are_nowhere_are_found(copy: CourseTrees) -> None:
    """What cannot be imported forbids nothing, and a sentence that asks for an unknown size is never shown."""
    edit(copy.rubric("double"), "torch.mul", "torch.mull")
    edit(copy.hidden / "chaffs/double/triples.py", "{batch}", "{bacth}")

    found = problems(copy)

    assert "double.yaml forbids 'torch.mull', which cannot be imported here" in found
    assert "chaff triples: `numbers` names a size that no check which it fails has drawn or remembered" in found


def test_a_solution_that_loses_points_is_found(copy: CourseTrees) -> None:
    """With the check and what it said."""
    edit(copy.solution("double"), "x * 2**times", "x * 2")

    assert "solution, seed 0: doubles_again is failed: failed, double(x, 3) has wrong values." in problems(copy)


def test_a_fault_in_a_suite_is_found(copy: CourseTrees) -> None:
    """An exception of the suite's own is nobody's mistake but the author's."""
    edit(copy.suite("double"), "    x = draw.normal(3)\n", "    x = draw.nromal(3)\n")

    assert "doubles_again: The check itself failed with AttributeError" in problems(copy)


def test_a_file_that_belongs_to_nothing_is_found(copy: CourseTrees) -> None:
    """In every tree."""
    for name in (
        "exercises/trible.py",
        "rubrics/trible.yaml",
        "tests/hidden/chaffs/trible/x.py",
        "tests/hidden/mutants/trible.yaml",
        "pictures/trible.py",
    ):
        path = copy.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")

    assert 5 == len(list(find_orphans(copy, load_course(copy))))


def test_a_course_that_asks_is_sound() -> None:
    """Right answers pass, each known wrong one fails its own check and is named."""
    proof = prove_course(CourseTrees(QUIZ_COURSE), seeds=1, chaff_seeds=1)

    assert [] == list(proof.all_problems())
    assert [(2, 3, 3)] == [(row.questions, row.wrong_answers, row.wrong_answers_named) for row in proof.exercises]


def test_what_is_wrong_with_a_course_that_asks_is_said(tmp_path: Path) -> None:
    """A check that lets a wrong answer pass, and answers among the solutions that are not right."""
    copy = CourseTrees(shutil.copytree(QUIZ_COURSE, tmp_path / "course"))
    edit(copy.suite("halve"), 'answers.expect_right("parity")', "answers.pose('parity')")
    edit(copy.answers("halve"), "seed: 1", "seed: 2")

    found = list(prove_course(copy, seeds=1, chaff_seeds=1).all_problems())

    assert any("predicts_parity is passed, named '', for the wrong answer odd_taken_for_even" in one for one in found)
    assert any("write it with: grade course answers halve > solutions/halve.yaml" in one for one in found)
    assert any("the untouched stub gets passed in predicts_parity" in one for one in found)


def test_a_picture_that_is_not_of_the_code_is_found(copy: CourseTrees) -> None:
    """Each is drawn with the solution, and with a stub there is nothing to see."""
    copy.pictures("double").write_text(
        'def picture_of_nothing(figure):\n    """Nothing."""\n    figure.subplots()\n\n'
        'def picture_broken(learner, figure):\n    """Broken."""\n    learner.double(1, 2, 3)\n'
    )

    found = problems(copy)

    assert "picture of_nothing is drawn with the untouched stub, so of no code" in found
    assert "picture broken, with the solution: Your code raised TypeError." in found
