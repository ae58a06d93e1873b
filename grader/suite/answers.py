"""Judge a learner's predictions, on the trusted side and without any of the learner's code."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.course.answers import AnswerSheet, read_answers
from grader.model.errors import SubmissionError
from grader.model.prediction import show_value
from grader.model.question import Numbers, Posed, Question
from grader.model.report import Diagnosis, Mismatch
from grader.model.submission import AnswersFile
from grader.model.verdict import Verdict
from grader.sandbox.problems import LearnerProblem
from grader.suite.expect import CheckFailed


@dataclass(frozen=True)
class Answers:
    """
    What one learner predicted for the questions of one exercise.

    Args:
        questions: The questions by id.
        sheet: What was answered. Without answers its seed is the run's, so that code can be tried all the same.
        file: How messages call what was handed in.
        problem: Why nothing that was handed in counts.
    """

    questions: Mapping[str, Question] = field(default_factory=dict)
    sheet: AnswerSheet = field(default_factory=lambda: AnswerSheet(0))
    file: str = ""
    problem: str = ""

    def pose(self, question: str) -> Posed:
        """Return a question with this learner's numbers."""
        return self.sheet.pose(self.questions[question])

    def numbers(self, question: str) -> Numbers:
        """Return the numbers that a question was asked with."""
        return self.pose(question).numbers

    def expect_right(self, question: str) -> None:
        """
        Expect a question to be answered, and rightly.

        Raises:
            LearnerProblem: ``todo`` if it is not answered yet, ``missing`` if the file or the answer cannot be read.
            CheckFailed: If the answer is wrong, with the known mistake that it shows.
        """
        posed = self.pose(question)
        typed = self._typed(question)
        if typed is None:
            raise LearnerProblem(Verdict.TODO, f"Not answered yet: {self.questions[question].topic}.")
        try:
            answer = posed.read(typed)
        except ValueError as error:
            raise LearnerProblem(Verdict.MISSING, f"{self.file}: {question}: {error}.") from None
        if posed.is_right(answer):
            return
        mismatch = Mismatch(
            kind="value", what=f"your prediction of {question}", expected=show_value(posed.right), got=typed
        )
        raise CheckFailed(
            f"You predicted {show_value(answer)}, and that does not come out.", mismatch, _name_mistake(posed, answer)
        )

    def is_answered(self, question: str) -> bool:
        """Whether there is an answer that can be read: only then may a measurement be shown beside it."""
        try:
            self.pose(question).read(self._typed(question) or "")
        except (ValueError, LearnerProblem):
            return False
        return True

    def beside(self, question: str, measured: Any) -> dict[str, float]:
        """
        Return a measurement with the prediction of the same number, to be observed: nothing where none was predicted.

        Args:
            question: The question's id.
            measured: What was measured: a number, or several as a tuple. Letters are no numbers, and are left out.
        """
        if not self.is_answered(question):
            return {}
        predicted = self.pose(question).read(self._typed(question) or "")
        pairs = {"predicted": predicted, "measured": measured}
        return {
            f"{name}_{place}" if isinstance(value, tuple) else name: number
            for name, value in pairs.items()
            for place, number in enumerate(value if isinstance(value, tuple) else (value,), start=1)
            if not isinstance(number, str) and math.isfinite(number)
        }

    def _typed(self, question: str) -> str | None:
        if self.problem:
            raise LearnerProblem(Verdict.MISSING, self.problem)
        return self.sheet.answers.get(question)


def open_answers(questions: Sequence[Question], handed_in: AnswersFile | None, seed: int) -> Answers:
    """
    Return the answers to these questions in what was handed in.

    Args:
        questions: What the exercise asks.
        handed_in: The file; None if there is none.
        seed: What numbers follow from where no seed can be read.
    """
    by_id = {question.id: question for question in questions}
    if handed_in is None:
        return Answers(by_id, AnswerSheet(seed))
    try:
        sheet = read_answers(handed_in.text, handed_in.path, list(by_id))
    except SubmissionError as error:
        return Answers(by_id, AnswerSheet(seed), handed_in.path, str(error))
    return Answers(by_id, sheet, handed_in.path)


def _name_mistake(posed: Posed, answer: Any) -> Diagnosis | None:
    mistake = posed.mistake_in(answer)
    if mistake is None:
        return None
    return Diagnosis(
        misconception=mistake.misconception,
        explanation=mistake.explanation.format(**posed.numbers),
        look_at=mistake.look_at.format(**posed.numbers),
        fact=f"Your prediction is the one that this idea gives: {show_value(answer)}.",
    )
