"""A question that cannot be trusted is found before a learner meets it."""

from dataclasses import replace

import pytest

from grader.authoring.questions import find_ambiguities, wrong_sheets
from grader.course.questions import load_questions
from grader.course.trees import CourseTrees
from grader.model.question import Question, Wrong
from tests.conftest import QUIZ_COURSE

QUESTIONS = load_questions(CourseTrees(QUIZ_COURSE), "halve")
HALF = QUESTIONS[0]


def half_named(chance):
    """Numbers with the answer among them."""
    numbers = HALF.draw(chance)
    return numbers | {"half": numbers["whole"] // 2}


def test_a_sound_question_has_no_problem() -> None:
    """As those of the course."""
    assert [] == list(find_ambiguities(QUESTIONS))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            replace(HALF, wrong=(Wrong("same", lambda n: n["whole"] / 2, "", ""),)),
            "the wrong answer same is right with",
        ),
        (
            replace(HALF, wrong=(*HALF.wrong, Wrong("twin", lambda n: 2 * n["whole"], "", ""))),
            "doubled and twin are one answer with",
        ),
        (replace(HALF, draw=lambda chance: {"whole": chance.choice([20, 20, 20, 30])}), "10 is right for"),
        (
            replace(HALF, wrong=(replace(HALF.wrong[0], explanation="It is {half}."),), draw=half_named),
            "doubled tells the right answer",
        ),
        (replace(HALF, wrong=()), "no wrong answer is known"),
        (replace(HALF, right=lambda n: n["whole"] / 1000003), "is not taken for right"),
    ],
)
def test_what_is_wrong_with_a_question_is_said(question: Question, said: str) -> None:
    """With the numbers for which it is."""
    (problem,) = find_ambiguities([question])

    assert problem.startswith("question half: ")
    assert said in problem


def test_every_known_wrong_answer_is_tried_once() -> None:
    """Between the sheets, and each sheet says which mistakes it holds."""
    tried = [mistake.misconception for _, mistakes in wrong_sheets(QUESTIONS, 1) for mistake in mistakes.values()]

    assert ["doubled", "odd_taken_for_even", "kept"] == tried
