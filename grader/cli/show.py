"""``grade show``: pictures of what the learner's own code does."""

import base64
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import check_exercise, course_option, isolation_option, open_course_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.model.picture import DrawnPicture, PictureClaim, PictureForm
    from grader.model.report import IsolationLevel

_SUFFIXES = {".png": "png", ".svg": "svg"}


@click.command("show", epilog="Example: grade show multihead --output pictures")
@click.argument("exercise")
@click.argument("path", type=click.Path(path_type=Path), default=".")
@click.option("--picture", "only", metavar="NAME", help="Draw this picture alone.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="A folder for the pictures, or with --picture a file whose name ends with .png or .svg.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["png", "svg", "terminal"]),
    help="How to draw; if not given, png with --output, and here in the terminal without.",
)
@isolation_option
@course_option
@click.pass_context
def show_command(
    ctx: click.Context,
    exercise: str,
    path: Path,
    only: str | None,
    output: Path | None,
    form: "PictureForm | None",
    require_isolation: "IsolationLevel | None",
    course_root: Path | None,
) -> None:
    """Draw what your own code for EXERCISE does: masks, weights, encodings, curves.

    PATH is what `grade check` takes: a workspace, a .py file, a notebook or a zip; the current folder if not given.
    Your code runs as in grading. The exit code is 0 if every picture was drawn, and 1 if one could not be.
    """
    from grader.course.load import load_course, load_pictures

    trees = open_course_option(course_root)
    exercise = check_exercise(exercise, load_course(trees).settings.exercises)
    claims = load_pictures(trees, exercise)
    if not claims:
        raise click.UsageError(f"There are no pictures for {exercise}.")
    if only is not None:
        claims = [_choose(only, claims)]
    form = form or _form_for(output)
    target = _prepare(output, form, claims)
    from grader.grading.local import open_grader

    with open_grader(trees, [exercise], require_isolation=require_isolation) as grader:
        columns = min(shutil.get_terminal_size().columns, 100)
        job = grader.show_job(grader.read([path]), [exercise], form, only=only or "", columns=columns)
        drawn = grader.show(job)
    for picture in drawn:
        _give(picture, form, target)
    ctx.exit(1 if any(picture.problem for picture in drawn) else 0)


def _choose(name: str, claims: "Sequence[PictureClaim]") -> "PictureClaim":
    from grader.model.errors import did_you_mean

    for claim in claims:
        if claim.name == name:
            return claim
    known = [claim.name for claim in claims]
    advice = did_you_mean(name, known)
    raise click.BadParameter(
        f"{name!r} is no picture of this exercise.{advice} There are: {', '.join(known)}.", param_hint="--picture"
    )


def _form_for(output: Path | None) -> "PictureForm":
    if output is None:
        return "terminal"
    return "svg" if output.suffix.lower() == ".svg" else "png"


def _prepare(output: Path | None, form: "PictureForm", claims: "Sequence[PictureClaim]") -> Path | None:
    """Return the folder or file to write to, or None for the terminal; what cannot be is wrong usage."""
    if form == "terminal":
        if output is not None:
            raise click.UsageError("--format terminal draws here; leave --output away.")
        return None
    output = output or Path()
    wanted = _SUFFIXES.get(output.suffix.lower())
    if wanted is None or output.is_dir():
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise click.BadParameter(f"{output}: {error.strerror}.", param_hint="--output") from None
        return output
    if wanted != form:
        raise click.UsageError(f"--format {form} does not fit {output.name}; leave --format away.")
    if len(claims) > 1:
        names = ", ".join(claim.name for claim in claims)
        raise click.UsageError(f"One file holds one picture. Name a folder, or one of these with --picture: {names}.")
    return output


def _give(picture: "DrawnPicture", form: "PictureForm", target: Path | None) -> None:
    """Show one picture here, or write its file; where there is none, say why."""
    from grader.report.sentences import picture_problem

    if picture.problem:
        click.echo(picture_problem(picture), err=target is not None)
        return
    if target is None:
        click.echo(f"{picture.claim.title}\n\n{picture.image}\n")
        if picture.claim.about:
            click.echo(f"{click.wrap_text(picture.claim.about, min(shutil.get_terminal_size().columns, 100))}\n")
        return
    file = target / f"{picture.exercise}-{picture.claim.name}.{form}" if target.is_dir() else target
    data = base64.b64decode(picture.image) if form == "png" else picture.image.encode()
    try:
        file.write_bytes(data)
    except OSError as error:
        raise click.FileError(str(file), hint=f"{error.strerror}. The picture was not written.") from None
    click.echo(f"Wrote {file}: {picture.claim.title}.")
