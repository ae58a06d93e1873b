"""``grade solution``: the commented solution of an exercise that was passed."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import check_exercise, course_option, folder_option, open_course_option

if TYPE_CHECKING:
    from grader.course.trees import CourseTrees


@click.command("solution", epilog="Example: grade solution heads")
@click.argument("exercise")
@click.option("--give-up", is_flag=True, help="Show it although the exercise was not passed.")
@folder_option
@course_option
@click.pass_context
def solution_command(
    ctx: click.Context,
    exercise: str,
    give_up: bool,
    folder: Path,
    course_root: Path | None,
) -> None:
    """Show the commented solution of EXERCISE once it has passed. It is one right answer of many."""
    from rich.console import Console
    from rich.syntax import Syntax

    from grader.course.load import load_course
    from grader.course.workspace import Workspace

    trees = open_course_option(course_root)
    exercise = check_exercise(exercise, load_course(trees).settings.exercises)
    if not give_up and not Workspace(folder).read_progress().of(exercise).passed:
        click.echo(f"{exercise} has not passed yet in this folder. The next hint: grade hint {exercise}", err=True)
        click.echo(f"To read the solution all the same: grade solution {exercise} --give-up", err=True)
        ctx.exit(1)
    text = trees.solution(exercise).read_text("utf-8")
    console = Console()
    if console.is_terminal:
        console.print(Syntax(text, "python", background_color="default", word_wrap=True))
    else:
        click.echo(text, nl=False)
    _show_right_answers(trees, folder, exercise)


def _show_right_answers(trees: "CourseTrees", folder: Path, exercise: str) -> None:
    """Show the right predictions for the learner's own numbers, as comments below the code."""
    from grader.course.answers import read_answers
    from grader.course.questions import load_questions
    from grader.model.prediction import show_value

    questions = load_questions(trees, exercise)
    path = folder / f"{exercise}.yaml"
    if not questions or not path.is_file():
        return
    sheet = read_answers(path.read_text("utf-8-sig", "replace"), path.name, [question.id for question in questions])
    click.echo(f"\n# What is right with the numbers of {path.name}:")
    for question in questions:
        posed = sheet.pose(question)
        click.echo(f"# {question.id}: {show_value(posed.right)}. {posed.sentence}")
