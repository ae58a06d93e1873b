"""Ask questions in the terminal, keep what is answered, and show what the code says."""

import secrets
import sys
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from grader.course.answers import AnswerSheet, read_answers, write_answers
from grader.model.errors import SubmissionError
from grader.model.feedback import FeedbackLevel
from grader.model.question import MEASURES, PREDICTS, Question
from grader.model.report import CheckResult, ScoreReport
from grader.model.submission import Cell, SourceFile, Submission
from grader.model.verdict import Verdict
from grader.report.atomic import write_atomically
from grader.report.harmless import harmless_line
from grader.report.sentences import SIGNS, count, measured, what_happened

if TYPE_CHECKING:
    from grader.course.trees import CourseTrees
    from grader.grading.line_process import LineProcess
    from grader.grading.local import LocalGrader

_COLUMNS: Final = 96
_SEED: Final = 1
"""What the measured inputs follow from; the numbers in questions follow from the learner's own seed."""


class Quiz:
    """
    The questions of one exercise and one learner's answers to them.

    Args:
        folder: The workspace. A file with a seed of its own is written there if there is none.
        exercise: The exercise.
        questions: What it asks.

    Raises:
        SubmissionError: If the file that is there cannot be read.
    """

    def __init__(self, folder: Path, exercise: str, questions: Sequence[Question]) -> None:
        self._folder, self._exercise, self._questions = folder, exercise, questions
        self._path = folder / f"{exercise}.yaml"
        try:
            text = self._path.read_text("utf-8-sig")
        except FileNotFoundError:
            self._sheet = AnswerSheet(secrets.randbelow(10**9))
            self._text = ""
            self._write()
        except (OSError, UnicodeDecodeError) as error:
            raise SubmissionError(f"{self._path}: cannot be read as UTF-8 text ({error}).") from None
        else:
            self._text = text
            self._sheet = read_answers(text, self._path.name, [question.id for question in questions])

    def text(self, only: Collection[str] = ()) -> str:
        """Return the questions with this learner's numbers and answers: all of them, or some."""
        asked = [question for question in self._questions if not only or question.id in only]
        return write_answers(self._exercise, self._sheet, asked)

    def run(self, trees: "CourseTrees", process: "LineProcess", only: Collection[str], *, again: bool) -> None:
        """Ask what is not answered yet, or what is to be asked again, until all is or the learner stops."""
        from grader.grading.local import open_grader

        grader = open_grader(trees, (self._exercise,), process=process)
        to_ask = [question for question in self._questions if not only or question.id in only]
        if again:
            to_ask = [question for question in to_ask if question.id in self._sheet.answers]
            if not only:
                to_ask = self._answered_wrongly(to_ask, grader)
        else:
            to_ask = [question for question in to_ask if question.id not in self._sheet.answers]
        for position, question in enumerate(to_ask, start=1):
            if not self._ask(question, f"{position} of {len(to_ask)}", again=again):
                break
            if question.id in self._sheet.answers:
                self._show(question, trees, grader)
        self._end(to_ask, again=again)

    def _ask(self, question: Question, number: str, *, again: bool) -> bool:
        """Ask one question until its answer can be read; False if the learner stops."""
        earlier = self._sheet.earlier.get(question.id, ())
        sheet = self._sheet
        if again:
            earlier = (*earlier, sheet.answers[question.id])
            answers = {name: typed for name, typed in sheet.answers.items() if name != question.id}
            sheet = replace(sheet, answers=answers, earlier={**sheet.earlier, question.id: earlier})
        posed = sheet.pose(question)
        click.echo(f"\n{number}  {question.id}: {question.topic}\n")
        for line in posed.lines:
            click.echo(textwrap.fill(line, _COLUMNS, initial_indent="  ", subsequent_indent="  "))
        if earlier:
            click.echo(f"  Answered before, with other numbers: {'; '.join(map(harmless_line, earlier))}.")
        while True:
            click.echo(f"\n  Your prediction ({posed.form}; Enter skips, q stops): ", nl=False)
            line = sys.stdin.readline()
            if not sys.stdin.isatty():
                click.echo()  # where nobody types, nobody presses Enter
            typed = line.strip()
            if not line or typed.lower() in ("q", "quit"):
                click.echo()
                return False
            if not typed:
                return True
            try:
                posed.read(typed)
            except ValueError as error:
                click.echo(f"  {harmless_line(str(error))}.")
                continue
            self._sheet = replace(sheet, answers={**sheet.answers, question.id: typed})
            self._write()
            return True

    def _show(self, question: Question, trees: "CourseTrees", grader: "LocalGrader") -> None:
        """Say what came of a prediction, as far as the course lets learners see it."""
        report = self._grade(grader, grader.read([self._folder]))
        checks = _checks(report)
        predicted = checks.get(f"{PREDICTS}{question.id}")
        if predicted is None:
            click.echo("  Noted.")
            return
        said = "Right." if predicted.verdict is Verdict.PASSED else what_happened(predicted)
        _say(f"{SIGNS[predicted.verdict].symbol} {said}")
        if predicted.diagnosis is not None:
            _say(f"{predicted.diagnosis.explanation} {predicted.diagnosis.look_at}")
        elif predicted.hint:
            _say(predicted.hint)
        measuring = checks[f"{MEASURES}{question.id}"]
        whose = "Your code"
        if measuring.verdict is not Verdict.PASSED:
            whose = f"Measured with the course's own code, because yours is “{SIGNS[measuring.verdict].word}” here"
            known = SourceFile(
                path=f"{self._exercise}.py", cells=(Cell(text=trees.solution(self._exercise).read_text("utf-8")),)
            )
            own = grader.read([self._folder])
            report = self._grade(grader, Submission(id=known.path, files=(known,), answers=own.answers))
            measuring = _checks(report)[f"{MEASURES}{question.id}"]
        if measuring.observation is not None:
            numbers = measured(measuring.observation)
            _say(f"{whose}: {numbers}." if numbers else f"{whose} comes to the same.")
            _say(measuring.observation.sentence)
        if predicted.verdict is not Verdict.PASSED:
            _say(f"Once more, with other numbers: grade quiz --again --only {question.id}")

    def _grade(self, grader: "LocalGrader", submission: Submission) -> ScoreReport:
        from grader.grading.messages import Graded
        from grader.model.redaction import redact_report

        *_, last = grader.grade(grader.job(submission, (self._exercise,), seed=_SEED))
        assert isinstance(last, Graded)
        return redact_report(last.report, grader.course.settings.feedback)

    def _answered_wrongly(self, questions: Sequence[Question], grader: "LocalGrader") -> list[Question]:
        if grader.course.settings.feedback is FeedbackLevel.SCORE:
            raise click.UsageError("this course shows points alone; name the questions with --only.")
        checks = _checks(self._grade(grader, grader.read([self._folder])))
        return [each for each in questions if checks[f"{PREDICTS}{each.id}"].verdict is not Verdict.PASSED]

    def _end(self, asked: Sequence[Question], *, again: bool) -> None:
        answered = sum(question.id in self._sheet.answers for question in self._questions)
        total = len(self._questions)
        if not asked:
            click.echo("Nothing was answered wrongly." if again else "Everything that you asked for is answered.")
        click.echo(f"\n{answered} of {count(total, 'question')} answered, in {self._path.name}.")
        click.echo("Go on with: grade quiz" if answered < total else f"Next: grade check --only {self._exercise}")

    def _write(self) -> None:
        """Keep the answers, unless somebody else wrote into the file meanwhile: that would be lost."""
        try:
            there = self._path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            there = ""
        if there not in ("", self._text):
            raise SubmissionError(
                f"{self._path} was changed meanwhile, so it was left as it is. Go on with: grade quiz"
            )
        self._text = write_answers(self._exercise, self._sheet, self._questions)
        write_atomically(self._path, self._text)


def _checks(report: ScoreReport) -> dict[str, CheckResult]:
    return {check.id: check for exercise in report.exercises for check in exercise.checks}


def _say(text: str) -> None:
    click.echo(textwrap.fill(harmless_line(text), _COLUMNS, initial_indent="  ", subsequent_indent="    "))
