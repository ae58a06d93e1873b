"""``grade list``: the exercises and what was reached."""

from pathlib import Path

import click

from grader.cli.options import course_option, open_course_option


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
    table = Table(title=course.settings.title, title_justify="left", box=None, pad_edge=False)
    for heading in ("", "exercise", "what you build", "level"):
        table.add_column(heading)
    for heading in ("minutes", "points"):
        table.add_column(heading, justify="right")
    table.add_column("builds on")
    for exercise in course.exercises:
        rubric, reached = exercise.rubric, progress.of(exercise.id)
        mark = "✔" if reached.passed else "◐" if reached.best else "·"
        points = f"{reached.best:g}/{rubric.points:g}" if reached.max_score else f"{rubric.points:g}"
        points += f" +{rubric.bonus:g}" if rubric.bonus else ""
        level = "●" * rubric.difficulty + "○" * (5 - rubric.difficulty)
        table.add_row(mark, exercise.id, rubric.title, level, str(rubric.minutes), points, ", ".join(rubric.builds_on))
    console = Console(highlight=False)
    console.print(table)
    done = sum(progress.of(exercise.id).passed for exercise in course.exercises)
    console.print(f"\n{done} of {len(course.exercises)} passed.")
    following = next((one for one in course.exercises if not progress.of(one.id).passed), None)
    if following is not None:
        console.print(f"Next: {following.id}. Type: grade check --only {following.id}")
