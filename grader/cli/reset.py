"""``grade reset``: put an exercise's stub back."""

from pathlib import Path

import click

from grader.cli.options import check_exercise, course_option, folder_option, open_course_option


@click.command("reset", epilog="Example: grade reset heads")
@click.argument("exercise")
@folder_option
@course_option
def reset_command(exercise: str, folder: Path, course_root: Path | None) -> None:
    """Put the stub of EXERCISE back; your file is kept beside it as a backup."""
    from grader.course.load import load_course
    from grader.course.workspace import reset_exercise

    trees = open_course_option(course_root)
    exercise = check_exercise(exercise, load_course(trees).settings.exercises)
    backups = reset_exercise(trees, folder, exercise)
    click.echo(f"{exercise}.py is the stub again.")
    if backups:
        click.echo(f"Your version is in {' and '.join(backup.name for backup in backups)}.")
