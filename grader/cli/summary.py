"""``grade summary``: the class at a glance."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import run_option, store_option

if TYPE_CHECKING:
    from grader.grading.store import Run, Store
    from grader.model.class_summary import ClassSummary
    from grader.report.class_words import ClassTitles


@click.command("summary", epilog="Example: grade summary --output class.html")
@run_option
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the page, with plots, to this file."
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON (grade schema summary).")
@store_option
def summary_command(number: int | None, output: Path | None, as_json: bool, store_location: str) -> None:
    """Show the class at a glance: scores, the mistakes that many make, hard criteria, and whom to look at.

    It reads what `grade batch` kept; nothing is graded.
    """
    from grader.grading.store import open_store

    with open_store(store_location) as store:
        run = store.run(number)
        summary, titles = summarise(store, run)
    if output is not None:
        from grader.report.atomic import write_atomically
        from grader.report.class_page import render_class_page

        write_atomically(output, render_class_page(summary, titles))
        click.echo(f"Wrote run {run.number} to {output}.", err=True)
    if as_json:
        click.echo(summary.model_dump_json(indent=2))
    elif output is None:
        from rich.console import Console

        from grader.report.class_terminal import render_class_summary

        click.echo(f"Run {run.number} of {store.shown}:\n")
        render_class_summary(summary, titles, Console(highlight=False))


def summarise(store: "Store", run: "Run") -> "tuple[ClassSummary, ClassTitles]":
    """Add up a run. A report is read only for the first student who makes a mistake, for what it says about it."""
    from grader.grading.student_lines import line_of_stored
    from grader.model.class_summary import ClassTally
    from grader.report.class_words import ClassTitles, Explained, explain_from

    tally = ClassTally()
    explained: dict[tuple[str, str], Explained] = {}
    for result in store.results(run):
        new = tally.add(line_of_stored(result))
        if new and (report := result.report()) is not None:
            explained |= explain_from(report, new)
    rubrics = [exercise.rubric for exercise in run.course.exercises]
    titles = ClassTitles(
        course=run.course.settings.title,
        exercises={rubric.exercise: rubric.title for rubric in rubrics},
        criteria={
            (rubric.exercise, each.id): f"Bonus: {each.title}" if each.bonus else each.title
            for rubric in rubrics
            for each in rubric.criteria
        },
        misconceptions=explained,
    )
    return tally.summary(), titles
