"""Options that several commands share."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.course.trees import CourseTrees

course_option = click.option(
    "--course",
    "course_root",
    type=click.Path(path_type=Path),
    metavar="DIR",
    envvar="GRADE_COURSE",
    show_envvar=True,
    help="A course of your own; the built-in one if not given.",
)

isolation_option = click.option(
    "--require-isolation",
    type=click.Choice(["strong", "basic", "process"]),
    help="Run no code with less isolation than this; whatever this machine gives if not given.",
)

isolation_choice = click.option(
    "--require-isolation",
    type=click.Choice(["strong", "basic", "process"]),
    default="strong",
    show_default=True,
    help="Run no code with less isolation than this.",
)

store_option = click.option(
    "--store",
    "store_location",
    default="grades.sqlite",
    show_default=True,
    metavar="FILE",
    help="Where results are kept: an SQLite file, or the URL of a database.",
)

output_option = click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default="graded",
    show_default=True,
    help="Where reports and the table of grades go.",
)

run_option = click.option(
    "--run", "number", type=click.IntRange(1), metavar="NUMBER", help="Which run; the latest if not given."
)

folder_option = click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="Your workspace; the current folder if not given.",
)


def open_course_option(root: Path | None) -> "CourseTrees":
    """Return the trees of the course that ``--course`` names; a folder that is no course is wrong usage."""
    from grader.course.trees import open_course
    from grader.model.errors import CourseError

    try:
        return open_course(root)
    except CourseError as error:
        raise click.BadParameter(str(error), param_hint="--course") from None


def check_exercise(name: str, known: tuple[str, ...]) -> str:
    """Return the exercise's id; an unknown one is wrong usage, with a suggestion."""
    import difflib

    if name in known:
        return name
    close = difflib.get_close_matches(name.lower().removesuffix(".py"), known, n=1, cutoff=0.4)
    advice = f" Did you mean {close[0]!r}?" if close else ""
    raise click.BadParameter(f"{name!r} is no exercise.{advice} The course has: {', '.join(known)}.")
