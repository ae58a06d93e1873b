"""A prediction is judged on the trusted side, and tells what it gives away."""

import pytest

from grader.course.answers import AnswerSheet, write_answers
from grader.course.questions import load_questions
from grader.course.trees import CourseTrees
from grader.model.submission import AnswersFile
from grader.model.verdict import Verdict
from grader.sandbox.problems import LearnerProblem
from grader.suite.answers import Answers, open_answers
from grader.suite.expect import CheckFailed
from tests.conftest import QUIZ_COURSE

QUESTIONS = load_questions(CourseTrees(QUIZ_COURSE), "halve")
SEED = 5
WHOLE = QUESTIONS[0].pose(SEED).numbers["whole"]


def answered(typed: str) -> Answers:
    """The answers of somebody who answered the first question."""
    text = write_answers("halve", AnswerSheet(SEED, {"half": typed}), QUESTIONS)
    return open_answers(QUESTIONS, AnswersFile(path="halve.yaml", text=text), seed=9)


def test_a_right_prediction_passes() -> None:
    """In any form."""
    for typed in (f"{WHOLE}/2", f"{WHOLE / 2}", f" ({WHOLE} + 0) * 50% ".replace("50%", "0.5")):
        answered(typed).expect_right("half")


def test_a_known_mistake_is_named() -> None:
    """With the learner's own number, and never the right one but in the facts for the level that shows them."""
    with pytest.raises(CheckFailed) as error:
        answered(f"2 * {WHOLE}").expect_right("half")

    assert f"You predicted {2 * WHOLE}, and that does not come out." == error.value.rationale
    assert error.value.diagnosis is not None
    assert "doubled" == error.value.diagnosis.misconception
    assert f"You doubled {WHOLE}." == error.value.diagnosis.explanation
    assert error.value.mismatch is not None
    assert (str(WHOLE // 2), f"2 * {WHOLE}") == (error.value.mismatch.expected, error.value.mismatch.got)


def test_an_unknown_mistake_is_not_named() -> None:
    """Nothing is claimed."""
    with pytest.raises(CheckFailed) as error:
        answered("-1").expect_right("half")

    assert error.value.diagnosis is None


def test_an_open_question_is_todo() -> None:
    """With a file or without one."""
    for answers in (answered("1"), open_answers(QUESTIONS, None, seed=9)):
        with pytest.raises(LearnerProblem, match="Not answered yet: what is even") as problem:
            answers.expect_right("parity")
        assert Verdict.TODO is problem.value.verdict


def test_what_cannot_be_read_is_missing() -> None:
    """An answer that is none, or a file that is none: in one line that names the file."""
    spoiled = open_answers(QUESTIONS, AnswersFile(path="a/halve.yaml", text="seed: ["), seed=9)

    for answers, said in ((answered("many"), "halve.yaml: half: expected a number"), (spoiled, "a/halve.yaml: line 1")):
        with pytest.raises(LearnerProblem, match=said) as problem:
            answers.expect_right("half")
        assert Verdict.MISSING is problem.value.verdict


def test_a_measurement_is_shown_only_beside_an_answer() -> None:
    """Nobody reads the answer before the question is answered."""
    assert {"predicted": 3.0, "measured": 4.0} == answered("3").beside("half", 4.0)
    assert {} == answered("3").beside("parity", 4.0)
    assert {} == answered("many").beside("half", 4.0)
    assert not answered("many").is_answered("half")
    assert not open_answers(QUESTIONS, None, seed=9).is_answered("half")


def test_numbers_follow_from_the_learners_seed() -> None:
    """From the run's seed only where nothing was handed in, so that code can be tried."""
    assert WHOLE == answered("1").numbers("half")["whole"]
    assert QUESTIONS[0].pose(9).numbers == open_answers(QUESTIONS, None, seed=9).numbers("half")
