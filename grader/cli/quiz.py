"""``grade quiz``: predict, then see what the code says."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import course_option, folder_option, open_course_option

if TYPE_CHECKING:
    from grader.course.trees import CourseTrees
    from grader.model.question import Question


@click.command("quiz", epilog="Example: grade quiz --only spread_of_scores")
@click.option("--only", multiple=True, metavar="QUESTION", help="Ask this question alone. Repeatable.")
@click.option(
    "--again",
    is_flag=True,
    help="Draw other numbers for what was answered wrongly, or for the questions in --only, and ask once more.",
)
@click.option("--list", "as_list", is_flag=True, help="Print the questions and your answers, and ask nothing.")
@click.option("--exercise", metavar="EXERCISE", help="Whose questions, in a course where several exercises ask some.")
@folder_option
@course_option
def quiz_command(
    only: tuple[str, ...], again: bool, as_list: bool, exercise: str | None, folder: Path, course_root: Path | None
) -> None:
    """Ask for predictions one after the other, and say after each what the code says.

    Answers are kept in a file such as concepts.yaml in your workspace, which is a part of what you hand in: stop
    whenever you like, and go on later. Without a terminal each line of standard input is an answer.
    """
    from grader.cli.ask import Quiz
    from grader.grading.line_process import start_runner

    if as_list and again:
        raise click.UsageError("--again asks, and --list does not; leave one of them away.")
    trees = open_course_option(course_root)
    exercise, questions = _find_questions(trees, exercise)
    for name in only:
        _check_question(name, questions)
    quiz = Quiz(folder, exercise, questions)
    if as_list:
        click.echo(quiz.text(only), nl=False)
        return
    with start_runner() as process:  # it imports torch while the first question is read
        quiz.run(trees, process, only, again=again)


def _find_questions(trees: "CourseTrees", exercise: str | None) -> "tuple[str, tuple[Question, ...]]":
    """Return the exercise that asks and its questions; none that asks, or several, is wrong usage."""
    from grader.cli.options import check_exercise
    from grader.course.load import load_course
    from grader.course.questions import load_questions
    from grader.model.errors import SubmissionError

    course = load_course(trees)
    asking = [each.id for each in course.exercises if each.has_questions]
    if exercise is not None:
        exercise = check_exercise(exercise, course.settings.exercises)
        if exercise not in asking:
            raise SubmissionError(f"{exercise} asks no questions; {_enumerate(asking)}.")
    elif len(asking) != 1:
        raise SubmissionError(f"name one with --exercise: {_enumerate(asking)}.")
    else:
        exercise = asking[0]
    return exercise, load_questions(trees, exercise)


def _enumerate(asking: Sequence[str]) -> str:
    return f"{', '.join(asking)} ask{'s' if len(asking) == 1 else ''} some" if asking else "this course asks none"


def _check_question(name: str, questions: "Sequence[Question]") -> None:
    from grader.model.errors import did_you_mean

    known = [question.id for question in questions]
    if name not in known:
        raise click.BadParameter(
            f"{name!r} is no question.{did_you_mean(name, known)} `grade quiz --list` shows them all.",
            param_hint="--only",
        )
