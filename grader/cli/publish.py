"""``grade publish``: write what goes back to the students and into the gradebook."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import output_option, run_option, store_option

if TYPE_CHECKING:
    from grader.grading.store import Run, Store


@click.command("publish", epilog="Example: grade publish --run 3 --output graded")
@run_option
@output_option
@store_option
def publish_command(number: int | None, output: Path, store_location: str) -> None:
    """Write each student's report, the table of grades and an index from what is kept; nothing is graded.

    `grade batch` does so at its end. After `grade adjust`, `rescore` or `regrade` it is left to you, so that you can
    look at `grade diff` first.
    """
    from grader.grading.store import open_store

    with open_store(store_location) as store:
        write_files(store, store.run(number), output)


def write_files(store: "Store", run: "Run", output: Path) -> None:
    """Write the files of a run, leaving out who still waits, and say so."""
    from grader.report.class_folder import write_class_files
    from grader.report.harmless import harmless_line

    results = (outgoing for result in store.results(run) if (outgoing := result.student_result()) is not None)
    gone: list[str] = []
    index = write_class_files(results, output, feedback=run.course.settings.feedback, tell_gone=gone.append)
    counts = ", ".join(f"{number} {status.replace('_', ' ')}" for status, number in index.counts.items())
    click.echo(f"Wrote {output}: {len(index.students)} reports, grades.csv and index.json ({counts}).")
    if gone:
        click.echo(harmless_line(f"No longer in the class, so their reports there were removed: {', '.join(gone)}."))
