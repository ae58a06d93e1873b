"""What is wrong with a course's questions is one line for its author."""

import shutil
from pathlib import Path

import pytest

from grader.course.load import load_course
from grader.course.questions import load_questions
from grader.course.trees import CourseTrees
from grader.model.errors import CourseError
from tests.conftest import QUIZ_COURSE


@pytest.fixture
def trees(tmp_path: Path) -> CourseTrees:
    """A course that asks, to be spoiled."""
    shutil.copytree(QUIZ_COURSE, tmp_path / "course")
    return CourseTrees(tmp_path / "course")


def test_questions_are_found_by_the_exercise_id(trees: CourseTrees) -> None:
    """And an exercise without a file asks none."""
    assert ["half", "parity"] == [question.id for question in load_questions(trees, "halve")]
    assert () == load_questions(trees, "double")
    assert load_course(trees).exercise("halve").has_questions


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / 0", "cannot be run: ZeroDivisionError"),
        ("QUESTIONS = []", "expected QUESTIONS, a tuple of questions"),
        ("", "expected QUESTIONS"),
    ],
)
def test_a_file_without_questions_is_refused(trees: CourseTrees, text: str, said: str) -> None:
    """With what was expected."""
    trees.questions("halve").write_text(text)

    with pytest.raises(CourseError, match=r"tests/hidden/questions/halve\.py: ") as error:
        load_course(trees)

    assert said in str(error.value)


def test_two_questions_of_one_name_are_refused(trees: CourseTrees) -> None:
    """Nobody could tell which was answered."""
    path = trees.questions("halve")
    path.write_text(path.read_text().replace('id="parity"', 'id="half"'))

    with pytest.raises(CourseError, match="two questions are called 'half'"):
        load_questions(trees, "halve")


def test_a_question_needs_both_checks(trees: CourseTrees) -> None:
    """One for the prediction and one that measures; and none without a question."""
    path = trees.questions("halve")
    path.write_text(path.read_text().replace('id="parity"', 'id="evenness"'))

    with pytest.raises(CourseError) as error:
        load_course(trees)

    assert "has no test_predicts_evenness" in str(error.value)
    assert "has no test_measures_evenness" in str(error.value)
    assert "'predicts_parity' belongs to no question" in str(error.value)
