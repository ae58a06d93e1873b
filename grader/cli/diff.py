"""``grade diff``: what changed from one run to another."""

import json
from typing import TYPE_CHECKING

import click

from grader.cli.options import store_option

if TYPE_CHECKING:
    from grader.grading.differences import Difference

_REASONS_SHOWN = 8


@click.command("diff", epilog="Example: grade diff 3 4")
@click.argument("before", type=click.IntRange(1), metavar="RUN")
@click.argument("after", type=click.IntRange(1), metavar="RUN")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@store_option
def diff_command(before: int, after: int, output_format: str, store_location: str) -> None:
    """Show for each student what changed from one RUN to another, and why; `grade publish` comes after it."""
    from grader.grading.differences import compare_runs
    from grader.grading.store import open_store

    with open_store(store_location) as store:
        first, second = store.run(before), store.run(after)
        other_grades = others = students = 0
        for difference in compare_runs(store, first, second):
            if output_format == "json":
                # One line a student, so that a large class need not be held by whoever reads it either.
                click.echo(json.dumps(difference.model_dump(mode="json"), ensure_ascii=False))
                continue
            if difference.same_grade:
                others += 1
            else:
                other_grades += 1
            for line in describe(difference):
                click.echo(line)
        students = sum(store.count(second).values())
    if output_format == "text":
        click.echo(
            f"Run {before} → run {after}: {other_grades} of {students} students with another grade, "
            f"{others} with the same grade in another way."
        )


def describe(difference: "Difference") -> list[str]:
    """Return the lines about one student."""
    from grader.report.harmless import harmless_line

    name = f" ({difference.student.name})" if difference.student.name else ""
    before, after = ("no grade" if grade is None else f"{grade:g}" for grade in (difference.before, difference.after))
    change = f"{after} as before" if difference.same_grade else f"{before} → {after}"
    reasons = list(difference.why[:_REASONS_SHOWN])
    if len(difference.why) > _REASONS_SHOWN:
        reasons.append(f"and {len(difference.why) - _REASONS_SHOWN} more; --format json has them all")
    return [
        harmless_line(f"{difference.student.id}{name}: {change}"),
        *(f"  {harmless_line(reason)}" for reason in reasons),
    ]
