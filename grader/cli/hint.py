"""``grade hint``: one more rung of an exercise's hint ladder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from grader.cli.options import check_exercise, course_option, folder_option, open_course_option


@click.command("hint", epilog="Example: grade hint heads")
@click.argument("exercise")
@click.argument("name", default="")
@click.option("--rung", type=click.IntRange(min=1), help="Show this rung instead of the next one.")
@folder_option
@course_option
def hint_command(exercise: str, name: str, rung: int | None, folder: Path, course_root: Path | None) -> None:
    """Give one more hint for EXERCISE each time: the idea, then where to look, then nearly the line.

    Where an exercise has hints for each of its functions, NAME asks for those of one function.
    """
    from grader.course.load import load_course
    from grader.course.trees import CourseTrees
    from grader.course.workspace import Workspace

    trees: CourseTrees = open_course_option(course_root)
    course = load_course(trees)
    exercise = check_exercise(exercise, course.settings.exercises)
    ladder = course.exercise(exercise).rubric.hints
    about = {each: found for each in course.exercise(exercise).promises if (found := _rungs_about(ladder, each))}
    rungs = _rungs_of(name, about) if name else range(1, len(ladder) + 1)
    workspace = Workspace(folder)
    progress = workspace.read_progress()
    seen = progress.of(exercise)
    last = seen.last_hints.get(name, 0) if name else seen.last_hint
    shown = min(rung or next((each for each in rungs if each > last), rungs[-1]), len(ladder))
    click.echo(f"Hint {shown} of {len(ladder)} for {exercise}:\n")
    click.echo(click.wrap_text(ladder[shown - 1].strip(), width=80, preserve_paragraphs=True))
    remembered = False
    if workspace.is_one(course.settings.exercises):
        remembered = workspace.write_progress(progress.with_hint(exercise, shown, name))
    command = f"grade hint {exercise} {name}".rstrip()
    if shown == rungs[-1]:
        click.echo(f"\nThat was the last one. After a pass, or with --give-up: grade solution {exercise}")
    elif remembered:
        click.echo(f"\nMore: {command}")
    else:
        click.echo(f"\nMore: {command} --rung {shown + 1}")
    if about and not name:
        alone = f"About one function alone: grade hint {exercise} NAME ({', '.join(about)})"
        click.echo(click.wrap_text(alone, width=80))


def _rungs_about(ladder: Sequence[str], name: str) -> list[int]:
    """Return the rungs that begin with a function's name."""
    return [rung for rung, text in enumerate(ladder, 1) if text.startswith(f"{name},")]


def _rungs_of(name: str, about: Mapping[str, Sequence[int]]) -> Sequence[int]:
    if name in about:
        return about[name]
    known = f"The hints here are about {', '.join(about)}." if about else "The hints here are about all of it."
    raise click.BadParameter(f"no hint is about {name!r} alone. {known}", param_hint="NAME")
