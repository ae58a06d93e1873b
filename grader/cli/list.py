"""``grade list``: the exercises and what was reached."""

from pathlib import Path
from typing import Final

import click

from grader.cli.options import course_option, open_course_option

_ROOM_FOR_WORDS: Final = 72
"""Columns; on a narrower screen titles would take a word a line, and names that are to be typed would be cut."""


@click.command("list", epilog="Example: grade list")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@course_option
def list_command(folder: Path, course_root: Path | None) -> None:
    """Show the exercises in teaching order, and what was reached in the workspace FOLDER."""
    from rich.console import Console
    from rich.table import Table

    from grader.course.load import load_course
    from grader.course.workspace import Workspace

    course = load_course(open_course_option(course_root))
    progress = Workspace(folder).read_progress()
    console = Console(highlight=False)
    has_room = console.width >= _ROOM_FOR_WORDS
    table = Table(title=course.settings.title, title_justify="left", box=None, pad_edge=False)
    table.add_column("")
    table.add_column("exercise", no_wrap=True)
    if has_room:
        table.add_column("what you build")
    table.add_column("level", no_wrap=True)
    for heading in ("minutes", "points"):
        table.add_column(heading, justify="right", no_wrap=True)
    if has_room:
        table.add_column("builds on")
    for exercise in course.exercises:
        rubric, reached = exercise.rubric, progress.of(exercise.id)
        mark = "✔" if reached.passed else "◐" if reached.best else "·"
        points = f"{reached.best:g}/{rubric.points:g}" if reached.max_score else f"{rubric.points:g}"
        points += f" +{rubric.bonus:g}" if rubric.bonus else ""
        level = "●" * rubric.difficulty + "○" * (5 - rubric.difficulty)
        cells = [mark, exercise.id, rubric.title, level, str(rubric.minutes), points, ", ".join(rubric.builds_on)]
        table.add_row(*(cells if has_room else [*cells[:2], *cells[3:6]]))
    console.print(table)
    done = sum(progress.of(exercise.id).passed for exercise in course.exercises)
    console.print(f"\n{done} of {len(course.exercises)} passed.")
    following = next((one for one in course.exercises if not progress.of(one.id).passed), None)
    if following is not None:
        console.print(f"Next: {following.id}. Type: grade check --only {following.id}")
