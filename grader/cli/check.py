"""``grade check``: grade a workspace and say what to fix next."""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from grader.cli.options import course_option, isolation_option, open_course_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.grading.local import LocalGrader
    from grader.grading.messages import Job
    from grader.model.picture import DrawnPicture
    from grader.model.report import IsolationLevel, ScoreReport
    from grader.model.submission import Submission

_FORMATS = ["text", "json", "html", "markdown", "junit"]
_FORMAT_OF_SUFFIX = {".html": "html", ".htm": "html", ".md": "markdown", ".json": "json", ".xml": "junit"}


@click.command("check", epilog="Example: grade check --only heads --watch")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option("--only", multiple=True, metavar="EXERCISE", help="Grade this exercise alone. Repeatable.")
@click.option("--fail-fast", is_flag=True, help="Stop at the first check that fails.")
@click.option("--format", "output_format", type=click.Choice(_FORMATS), default="text", show_default=True)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the report to this file; its ending decides the format if --format is not given.",
)
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="Repeat a run exactly; a report names its seed.")
@click.option("--watch", is_flag=True, help="Grade again on every save what the change touches.")
@click.option(
    "--start-method",
    type=click.Choice(["auto", "fork", "spawn"]),
    default="auto",
    help="How the processes for your code start; auto picks what is safe on this system.",
)
@isolation_option
@course_option
@click.pass_context
def check_command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    only: tuple[str, ...],
    fail_fast: bool,
    output_format: str,
    output: Path | None,
    seed: int | None,
    watch: bool,
    start_method: Literal["auto", "fork", "spawn"],
    require_isolation: "IsolationLevel | None",
    course_root: Path | None,
) -> None:
    """Grade PATH and say what to fix next.

    PATH is a workspace, one or more .py files, a notebook that defines the same names, or a zip of these; the current
    folder if not given.
    """
    if watch and (output_format != "text" or output):
        raise click.UsageError("--watch shows its results here; leave --format and --output away.")
    if output is not None:
        if not output.parent.is_dir():  # told now, and not when all is graded
            raise click.BadParameter(f"{output.parent} is no folder", param_hint="--output")
        if ctx.get_parameter_source("output_format") is click.core.ParameterSource.DEFAULT:
            output_format = _FORMAT_OF_SUFFIX.get(output.suffix.lower(), output_format)
    paths = paths or (Path(),)
    _refuse_course(paths)
    from grader.grading.line_process import start_runner

    with start_runner() as process:  # first of all: it imports torch while the rest is imported and read here
        from grader.grading.local import exercises_meant, open_grader

        trees = open_course_option(course_root)
        grader = open_grader(trees, only, start_method, require_isolation, process)
        exercises = only or exercises_meant(paths, grader.course.settings.exercises)
        if watch:
            from grader.cli.watch import watch_submission

            watch_submission(grader, paths, exercises, seed=seed, fail_fast=fail_fast)
            return
        submission = grader.read(paths)
        job = grader.job(submission, exercises, seed=seed, fail_fast=fail_fast)
        report = grade_with_view(grader, job, quiet=output_format != "text")
        pictures = _draw_pictures(grader, submission, exercises) if output_format == "html" else ()
    _remember(paths, report, grader.course.settings.exercises)
    show_report(report, output_format, output, pictures)
    ctx.exit(exit_code_of(report))


def _refuse_course(paths: "Sequence[Path]") -> None:
    """A whole course holds the solutions: grading it would praise somebody who has written nothing."""
    for path in paths:
        if (path / "rubrics" / "course.yaml").is_file():
            shown = "this folder" if path == Path() else str(path)
            raise click.BadParameter(
                f"{shown} is a course, not somebody's work. To work in a folder of your own: grade init my-attention. "
                f"To grade what you wrote into the course's stubs: grade check {path / 'exercises'}",
                param_hint="PATH",
            )


def grade_with_view(grader: "LocalGrader", job: "Job", *, quiet: bool) -> "ScoreReport":
    """Grade a job while showing how it goes, and return the report as the course lets learners see it."""
    from rich.console import Console

    from grader.grading.messages import CheckDone, ExerciseDone, ExerciseStarted, Graded
    from grader.model.redaction import redact_report
    from grader.report.live import LiveView

    # What shows the report is imported now, while there is nothing else to do.
    importlib.import_module("grader.report.terminal")
    # On standard error, because standard output is for the report alone.
    console = Console(stderr=True, quiet=quiet and not Console(stderr=True).is_terminal)
    with LiveView(console) as view:
        for event in grader.grade(job):
            match event:
                case ExerciseStarted():
                    view.exercise_started(event.exercise, event.title, event.checks)
                case CheckDone():
                    view.check_done(event.exercise, event.result.verdict)
                case ExerciseDone():
                    view.exercise_done(event.report)
                case Graded():
                    return redact_report(event.report, grader.course.settings.feedback)
    raise AssertionError("the runner always ends with a report")


def show_report(
    report: "ScoreReport", output_format: str, output: Path | None, pictures: "Sequence[DrawnPicture]" = ()
) -> None:
    """Write the report to a file or to standard output; pictures go into a page alone."""
    if output is None and output_format == "text":
        from rich.console import Console

        from grader.report.terminal import render_report

        render_report(report, Console(highlight=False))
        return
    text = _render(report, output_format, pictures)
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.FileError(str(output), hint=f"{error.strerror}. The report was not written.") from None
    from grader.report.sentences import bonus_of

    bonus = bonus_of(report.bonus, report.max_bonus)
    click.echo(f"{report.score:g} of {report.max_score:g} points{bonus}. Wrote {output}.", err=True)


def exit_code_of(report: "ScoreReport") -> int:
    """Return the exit code that a report stands for."""
    from grader.cli.main import EXIT_BELOW, EXIT_FULL_MARKS, EXIT_GRADER_FAILED

    if not report.complete:
        return EXIT_GRADER_FAILED
    return EXIT_FULL_MARKS if report.full_marks else EXIT_BELOW


def _draw_pictures(
    grader: "LocalGrader", submission: "Submission", exercises: tuple[str, ...]
) -> "Sequence[DrawnPicture]":
    """Return the pictures for a page; where none can be made, the report is written all the same."""
    from grader.model.errors import GraderError

    try:
        return grader.show(grader.show_job(submission, exercises, "page"))
    except GraderError as error:
        click.echo(f"The report has no pictures: {error}", err=True)
        return ()


def _render(report: "ScoreReport", output_format: str, pictures: "Sequence[DrawnPicture]") -> str:
    if output_format == "text":
        import io

        from rich.console import Console

        from grader.report.terminal import render_report

        written = io.StringIO()
        render_report(report, Console(file=written, width=100, highlight=False))
        return written.getvalue()
    if output_format == "html":
        from grader.report.html import render_html

        return render_html(report, pictures=pictures)
    if output_format == "markdown":
        from grader.report.markdown import render_markdown

        return render_markdown(report)
    if output_format == "junit":
        from grader.report.junit import render_junit

        return render_junit(report)
    from grader.report.json_report import render_json

    return render_json(report)


def _remember(paths: tuple[Path, ...], report: "ScoreReport", exercises: tuple[str, ...]) -> None:
    """Keep what was reached in the workspace, if the paths are one or lie in one."""
    from grader.course.workspace import Workspace

    folder = paths[0] if paths[0].is_dir() else paths[0].parent
    workspace = Workspace(folder)
    if report.complete and workspace.is_one(exercises) and paths[0].suffix != ".zip":
        workspace.write_progress(workspace.read_progress().after(report))
