"""``grade export``: grades for a gradebook."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import run_option, store_option

if TYPE_CHECKING:
    from grader.gradebooks.exported import Exported
    from grader.grading.store import Run, Store
    from grader.model.student_line import StudentLine

_FORMATS = ["csv", "canvas", "moodle", "gradescope"]
_SHOWN = 40


@click.command("export", epilog="Example: grade export --format canvas --into gradebook.csv --output upload.csv")
@click.option("--format", "output_format", type=click.Choice(_FORMATS), required=True, help="Which gradebook.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="The file to write; for gradescope a folder, with a results.json for each student.",
)
@click.option(
    "--into",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Fill in this file, downloaded from Canvas (gradebook) or Moodle (offline grading worksheet).",
)
@click.option("--title", help="What the assignment is called in the gradebook; the course's title if not given.")
@click.option(
    "--add-bonus",
    is_flag=True,
    help="Put bonus points into the grade, which may then be more than all points (in csv they have columns).",
)
@run_option
@store_option
def export_command(
    output_format: str,
    output: Path,
    into: Path | None,
    title: str | None,
    add_bonus: bool,
    number: int | None,
    store_location: str,
) -> None:
    """Write the grades of a run for a gradebook. Who has no grade is left out and named.

    Nothing that was graded is changed. To fill in a file that the platform gave you is safest: it names the students
    as the platform does.
    """
    if add_bonus and output_format == "csv":
        raise click.UsageError("--add-bonus is not for --format csv: there, bonus points have columns of their own.")
    if into is not None and output_format not in ("canvas", "moodle"):
        raise click.UsageError(f"--into goes with --format canvas or moodle, not {output_format}.")
    if title is not None and (output_format not in ("canvas", "moodle") or (output_format == "moodle" and into)):
        raise click.UsageError("--title is for --format canvas, and moodle without --into: no other file has a title.")
    from grader.gradebooks.exported import with_bonus
    from grader.grading.store import open_store

    with open_store(store_location) as store:
        run = store.run(number)
        if output_format == "gradescope":
            _write_gradescope(store, run, output, with_bonus=add_bonus)
            return
        lines = _lines(store, run)
        if output_format == "csv":
            _write_table(run, lines, output)
            return
        exported = _export(with_bonus(lines) if add_bonus else lines, output_format, title, into, run)
    from grader.report.atomic import write_atomically
    from grader.report.sentences import count

    write_atomically(output, exported.text)
    _tell_left_out(exported.left_out)
    for note in exported.notes:
        click.echo(f"Note: {note}.", err=True)
    click.echo(f"Wrote run {run.number} to {output}: {count(exported.written, 'grade')}.")


def _lines(store: "Store", run: "Run") -> "Iterator[StudentLine]":
    from grader.grading.student_lines import line_of_stored

    return (line_of_stored(result) for result in store.results(run))


def _export(
    lines: "Iterable[StudentLine]", output_format: str, title: str | None, into: Path | None, run: "Run"
) -> "Exported":
    from grader.gradebooks.canvas import export_canvas, fill_canvas
    from grader.gradebooks.exported import GradebookError
    from grader.gradebooks.moodle import export_moodle, fill_moodle

    title = title or run.course.settings.title
    if into is None and output_format == "canvas":
        return export_canvas(lines, title, from_canvas=run.layout == "canvas")
    if into is None:
        return export_moodle(lines, title)
    try:
        downloaded = into.read_bytes().decode("utf-8")
        return fill_canvas(lines, title, downloaded) if output_format == "canvas" else fill_moodle(lines, downloaded)
    except UnicodeDecodeError:
        raise click.BadParameter(
            f"{into} is not UTF-8. Download it again, and do not save it from a spreadsheet.", param_hint="--into"
        ) from None
    except GradebookError as error:
        raise click.BadParameter(f"{into}: {error}", param_hint="--into") from None


def _write_table(run: "Run", lines: "Iterator[StudentLine]", output: Path) -> None:
    from grader.report.grades_table import GradesTable
    from grader.report.sentences import count

    with GradesTable() as table:
        written = 0
        for line in lines:
            table.add(line)
            written += 1
        table.write(output)
    click.echo(f"Wrote run {run.number} to {output}: {count(written, 'student')}.")


def _write_gradescope(store: "Store", run: "Run", output: Path, *, with_bonus: bool) -> None:
    from grader.gradebooks.gradescope import render_gradescope
    from grader.report.atomic import write_atomically
    from grader.report.folder_names import folder_name

    written, left_out = 0, []
    for stored in store.results(run):
        result = stored.student_result()
        text = render_gradescope(result, run.course.settings.feedback, with_bonus=with_bonus) if result else None
        if text is None:
            left_out.append(f"{stored.student.id}: no grade")
            continue
        write_atomically(output / folder_name(stored.student.id) / "results.json", text)
        written += 1
    _tell_left_out(tuple(left_out))
    click.echo(f"Wrote run {run.number} to {output}: {written} results.json.")


def _tell_left_out(left_out: tuple[str, ...]) -> None:
    for reason in left_out[:_SHOWN]:
        click.echo(f"Left out: {reason}.", err=True)
    if len(left_out) > _SHOWN:
        click.echo(f"… and {len(left_out) - _SHOWN:,} more are left out.", err=True)
