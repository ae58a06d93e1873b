"""``grade rescore``: apply a changed rubric to verdicts that are kept."""

from pathlib import Path

import click

from grader.cli.options import course_option, open_course_option, run_option, store_option


@click.command("rescore", epilog="Example: grade rescore && grade diff 1 2")
@run_option
@store_option
@course_option
def rescore_command(number: int | None, store_location: str, course_root: Path | None) -> None:
    """Score a run anew by the course's rubrics as they are now, without running any code.

    Points, criteria, hints and the late policy may have changed. A check that was never run needs `grade regrade`.
    """
    from grader.cli.publish import decisions_without_criterion
    from grader.course.load import digest_verdicts, load_course
    from grader.grading.exclusive import exclusive
    from grader.grading.plan import rescore_run
    from grader.grading.store import open_store

    trees = open_course_option(course_root)
    course = load_course(trees)
    digest = digest_verdicts(trees, course)
    with exclusive(store_location), open_store(store_location) as store:
        base = store.run(number)
        run = rescore_run(store, base, course)
        click.echo(f"Run {run.number} is run {base.number} by the rubrics of now. Kept in {store.shown}.")
        for line in decisions_without_criterion(store, run):
            click.echo(line)
    if run.verdicts_digest != digest:
        click.echo(
            "Note: suites, solutions, limits or what is forbidden have changed since this was graded. The verdicts "
            "found then still count here; `grade regrade` finds new ones."
        )
    click.echo(f"See what changes: grade diff {base.number} {run.number}. Then: grade publish")
