"""``grade regrade``: run again what was handed in for a run."""

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import course_option, isolation_choice, open_course_option, run_option, store_option

if TYPE_CHECKING:
    from grader.model.report import IsolationLevel


@click.command("regrade", epilog="Example: grade regrade && grade diff 1 2")
@run_option
@click.option("--student", "students", multiple=True, metavar="ID", help="Only this student's. Repeatable.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="Draw inputs from this seed; the run's if not given.")
@click.option("--jobs", type=click.IntRange(1), help="How many submissions at a time; as many as there are cores.")
@isolation_choice
@store_option
@course_option
@click.pass_context
def regrade_command(
    ctx: click.Context,
    number: int | None,
    students: tuple[str, ...],
    seed: int | None,
    jobs: int | None,
    require_isolation: "IsolationLevel",
    store_location: str,
    course_root: Path | None,
) -> None:
    """Grade again what was handed in for a run, by the course and kit of now.

    The code comes from what is kept, as it was read then; to read SOURCE anew, use `grade batch --again`. Typed again
    after an interruption, the command goes on.
    """
    from grader.cli.class_run import end_run, grade_run
    from grader.course.load import digest_verdicts, load_course
    from grader.grading.exclusive import exclusive
    from grader.grading.plan import kept_contents, plan_regrade
    from grader.grading.store import open_store
    from grader.report.sentences import count

    trees = open_course_option(course_root)
    whole = load_course(trees)
    with exclusive(store_location), open_store(store_location) as store:
        base = store.run(number)
        if base.kind == "regrade" and number is None and base.finished_at is None and base.base:
            base = store.run(base.base)  # the latest run is an interrupted regrade, which goes on
        partial = len(base.exercises) < len(base.course.settings.exercises)
        course = load_course(trees, base.exercises) if partial else whole
        plan = plan_regrade(store, course, digest_verdicts(trees, whole), base, students, seed)
        goes_on = " goes on" if plan.goes_on else ""
        click.echo(
            f"Run {plan.run.number}{goes_on}: {count(len(plan.todo), 'submission')} of run {base.number} again.",
            err=True,
        )
        contents = kept_contents(store, base)
        run, stop = grade_run(
            store,
            plan,
            trees,
            source=Path(base.source),
            jobs=jobs or os.cpu_count() or 1,
            require_isolation=require_isolation,
            text_of=lambda hand_in: store.find_submission(contents.get(hand_in.student.id), hand_in.student.id),
        )
        code = end_run(store, run, stop, again=shlex.join(["grade", *sys.argv[1:]]))
    if run.finished_at:
        click.echo(f"See what changes: grade diff {base.number} {run.number}. Then: grade publish")
    ctx.exit(code)
