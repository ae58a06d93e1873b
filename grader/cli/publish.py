"""``grade publish``: write what goes back to the students and into the gradebook."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import output_option, run_option, store_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.grading.store import Run, Store
    from grader.model.student_result import StudentResult


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
    from grader.report.sentences import count

    gone: list[str] = []
    waiting: set[str] = set()

    def outgoing() -> "Iterator[StudentResult]":
        for result in store.results(run):
            ready = result.student_result()
            if ready is None:
                waiting.add(result.student.id)
            else:
                yield ready

    feedback = run.course.settings.feedback
    index = write_class_files(outgoing(), output, feedback=feedback, tell_gone=gone.append, waiting=waiting)
    counts = ", ".join(f"{number} {status.replace('_', ' ')}" for status, number in index.counts.items())
    wrote = f"Wrote run {run.number} to {output}"
    click.echo(f"{wrote}: {count(len(index.students), 'report')}, grades.csv and index.json ({counts}).")
    if gone:
        click.echo(harmless_line(f"No longer in the class, so their reports there were removed: {', '.join(gone)}."))
    if waiting:
        click.echo(f"{len(waiting)} still wait: they are in neither table, and reports that they had before stay.")
    for line in decisions_without_criterion(store, run):
        click.echo(line, err=True)


def decisions_without_criterion(store: "Store", run: "Run") -> "Iterator[str]":
    """Yield a line for each decision by hand that stands and counts for nothing: the run lacks its criterion."""
    from grader.model.adjustment import adjustments_in_force
    from grader.report.harmless import harmless_line

    rubrics = {exercise.id: exercise.rubric for exercise in run.course.exercises}
    known = {(name, criterion.id) for name, rubric in rubrics.items() for criterion in rubric.criteria}
    for student, history in store.adjustments_by_student().items():
        for made in adjustments_in_force(history):
            if made.exercise in rubrics and made.place not in known:
                name = f"{made.exercise}.{made.criterion}"
                yield harmless_line(
                    f"Note: what was decided by hand of {name} for {student} counts for nothing: {made.exercise} has "
                    f"no such criterion any more. Decide another with grade adjust, or withdraw it: "
                    f"grade adjust {student} {name} --withdraw --why …"
                )
