"""Predictions and code are scored apart, and neither gives the other away."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.answers import AnswerSheet, answers_file, right_answers
from grader.course.questions import load_questions
from grader.course.trees import CourseTrees
from grader.grading.client import Runner
from grader.grading.messages import Graded, Job, RunnerSettings
from grader.model.feedback import FeedbackLevel
from grader.model.redaction import redact_report
from grader.model.report import CheckResult, ScoreReport
from grader.model.submission import AnswersFile, Cell, Entry, SourceFile, Submission
from grader.model.verdict import Verdict
from tests.conftest import QUIZ_COURSE

QUESTIONS = load_questions(CourseTrees(QUIZ_COURSE), "halve")
SEED = 5
WHOLE = QUESTIONS[0].pose(SEED).numbers["whole"]
RIGHT = right_answers("halve", QUESTIONS, SEED)
SOLUTION = (QUIZ_COURSE / "solutions" / "halve.py").read_text("utf-8")


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """A warm runner of the course that asks."""
    with Runner(RunnerSettings(course=str(QUIZ_COURSE))) as runner:
        yield runner


def grade(runner: Runner, code: str | None, answers: AnswersFile | None) -> ScoreReport:
    """Grade code, answers, or both."""
    files = (SourceFile(path="halve.py", cells=(Cell(text=code),)),) if code is not None else ()
    submission = Submission(id="x", files=files, answers=(answers,) if answers else ())
    entry = Entry(exercise="halve", path="halve.py" if code is not None else None)
    *_, last = runner.grade(Job(submission=submission, entries=(entry,), seed=1))
    assert isinstance(last, Graded)
    return last.report


def points(report: ScoreReport) -> dict[str, float]:
    """The points of each criterion."""
    return {criterion.id: criterion.score for criterion in report.exercises[0].criteria}


def check(report: ScoreReport, name: str) -> CheckResult:
    """One check's result."""
    return next(each for each in report.exercises[0].checks if each.id == name)


def sheet(**answers: str) -> AnswersFile:
    """A file with these answers."""
    return answers_file("halve", AnswerSheet(SEED, answers), QUESTIONS)


def test_right_answers_and_right_code_get_full_marks(runner: Runner) -> None:
    """And the concept check shows both numbers."""
    report = grade(runner, SOLUTION, RIGHT)

    assert {"predictions": 2, "parity": 1, "code": 2} == points(report)
    observation = check(report, "measures_half").observation
    assert observation is not None
    assert {"predicted": WHOLE / 2, "measured": WHOLE / 2} == {one.label: one.value for one in observation.numbers}


@pytest.mark.parametrize("code", [None, "def halve(x:", "raise SystemExit", "while True: pass", "x = 1"])
def test_predictions_count_whatever_became_of_the_code(runner: Runner, code: str | None) -> None:
    """Missing, not Python, ending or looping at import."""
    assert {"predictions": 2, "parity": 1, "code": 0} == points(grade(runner, code, RIGHT))


@pytest.mark.parametrize(
    "answers", [None, sheet(), sheet(half="1", parity="?"), AnswersFile(path="halve.yaml", text="[")]
)
def test_code_counts_whatever_became_of_the_predictions(runner: Runner, answers: AnswersFile | None) -> None:
    """Missing, open, wrong, or not YAML."""
    assert {"predictions": 0, "parity": 0, "code": 2} == points(grade(runner, SOLUTION, answers))


def test_nothing_is_measured_in_sight_before_it_is_predicted(runner: Runner) -> None:
    """The report of right code holds neither the number nor the sentence."""
    report = grade(runner, SOLUTION, sheet(parity=str(QUESTIONS[1].pose(SEED).right)))

    assert check(report, "measures_half").observation is None
    assert Verdict.TODO is check(report, "predicts_half").verdict
    assert str(WHOLE // 2) not in report.model_dump_json().replace(report.submission.sha256, "")


@pytest.mark.parametrize("level", [FeedbackLevel.HINTS, FeedbackLevel.VERDICTS, FeedbackLevel.SCORE])
def test_below_full_a_wrong_prediction_shows_no_right_number(runner: Runner, level: FeedbackLevel) -> None:
    """Not in the mismatch, the observation, or the words."""
    report = redact_report(grade(runner, SOLUTION, sheet(half=str(2 * WHOLE), parity="b")), level)
    shown = report.model_dump_json(exclude={"submission", "course", "environment"})

    assert str(WHOLE // 2) not in shown


def test_a_known_wrong_prediction_is_named(runner: Runner) -> None:
    """By the idea, at the level that learners see."""
    diagnosis = check(grade(runner, SOLUTION, sheet(half=str(2 * WHOLE))), "predicts_half").diagnosis

    assert diagnosis is not None
    assert "doubled" == diagnosis.misconception


def test_wrong_code_is_named_beside_wrong_predictions(runner: Runner) -> None:
    """One does not hide the other."""
    report = grade(runner, SOLUTION.replace("x / 2", "x * 2"), sheet(half=str(WHOLE)))
    found = {one.id: one.diagnosis.misconception for one in report.exercises[0].checks if one.diagnosis}

    assert {"predicts_half": "kept", "measures_half": "doubles", "measures_parity": "doubles"} == found


def test_code_cannot_reach_the_predictions(runner: Runner, tmp_path: Path) -> None:
    """They are judged in another process; what the code does to names changes nothing."""
    code = SOLUTION + "\nanswers = observe = None\nimport builtins\nbuiltins.float = lambda x: 0.0\n"

    assert (
        0
        == points(grade(runner, code, sheet(half="1", parity="b" if QUESTIONS[1].pose(SEED).right != "b" else "a")))[
            "predictions"
        ]
    )
