"""``grade init``: make a workspace."""

import shlex
from pathlib import Path

import click

from grader.cli.options import course_option, open_course_option


@click.command("init", epilog="Example: grade init my-attention")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@course_option
def init_command(folder: Path, course_root: Path | None) -> None:
    """Write a workspace into FOLDER: the stubs and a short README. Files that are there already are kept."""
    from grader.course.load import load_course
    from grader.course.workspace import make_workspace

    trees = open_course_option(course_root)
    course = load_course(trees)
    exercises = [(exercise.id, exercise.rubric.title) for exercise in course.exercises]
    written, kept = make_workspace(trees, folder, course.settings.title, exercises)
    if course_root is not None:
        click.echo(f"So that each command takes this course: export GRADE_COURSE={shlex.quote(str(trees.root))}")
    if written:
        click.echo(f"Wrote {', '.join(written)} into {folder}.")
    if kept:
        click.echo(f"Kept as they were: {', '.join(kept)}.")
    where = "" if folder.resolve() == Path.cwd() else f"cd {shlex.quote(str(folder))} && "
    click.echo(f"Start with {course.exercises[0].id}.py, then type: {where}grade check")
