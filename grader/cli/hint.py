"""``grade hint``: one more rung of an exercise's hint ladder."""

from pathlib import Path

import click

from grader.cli.options import check_exercise, course_option, folder_option, open_course_option


@click.command("hint", epilog="Example: grade hint heads")
@click.argument("exercise")
@click.option("--rung", type=click.IntRange(min=1), help="Show this rung instead of the next one.")
@folder_option
@course_option
def hint_command(exercise: str, rung: int | None, folder: Path, course_root: Path | None) -> None:
    """Give one more hint for EXERCISE each time: the idea, then where to look, then nearly the line."""
    from grader.course.load import load_course
    from grader.course.trees import CourseTrees
    from grader.course.workspace import Workspace

    trees: CourseTrees = open_course_option(course_root)
    course = load_course(trees)
    exercise = check_exercise(exercise, course.settings.exercises)
    ladder = course.exercise(exercise).rubric.hints
    workspace = Workspace(folder)
    progress = workspace.read_progress()
    shown = min(rung or progress.of(exercise).hints_seen + 1, len(ladder))
    click.echo(f"Hint {shown} of {len(ladder)} for {exercise}:\n")
    click.echo(click.wrap_text(ladder[shown - 1].strip(), width=80, preserve_paragraphs=True))
    remembered = False
    if workspace.is_one(course.settings.exercises):
        seen = max(shown, progress.of(exercise).hints_seen)
        remembered = workspace.write_progress(progress.with_hint(exercise, seen))
    if shown == len(ladder):
        click.echo(f"\nThat was the last one. After a pass, or with --give-up: grade solution {exercise}")
    elif remembered:
        click.echo(f"\nMore: grade hint {exercise}")
    else:
        click.echo(f"\nMore: grade hint {exercise} --rung {shown + 1}")
