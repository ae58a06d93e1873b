"""``grade batch``: grade a class."""

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import (
    check_exercise,
    course_option,
    isolation_choice,
    open_course_option,
    output_option,
    store_option,
)

if TYPE_CHECKING:
    from grader.gradebooks.nbgrader import Target
    from grader.model.classroom import Classroom, HandIn
    from grader.model.report import IsolationLevel

_NAMED = 10
"""More who are not on the roster are counted, not named."""
_SHOWN = 40
"""More paths that belong to nobody are counted, not listed."""


@click.command("batch", epilog="Example: grade batch submissions.zip --roster roster.csv --dry-run")
@click.argument("source", type=click.Path(path_type=Path), required=False)
@click.option("--dry-run", is_flag=True, help="Show who was found, and how; grade nothing.")
@click.option("--layout", default="auto", show_default=True, help="How SOURCE is laid out, if it is not recognised.")
@click.option(
    "--roster", type=click.Path(path_type=Path), help="CSV of the class: id, name, email, section, extension."
)
@click.option("--assignment", default="", metavar="NAME", help="Which one, where several lie beside each other.")
@click.option(
    "--nbgrader",
    "nbgrader_dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="COURSE_DIR",
    help="Grade submitted/ of an nbgrader course, and write into its gradebook. Needs --assignment.",
)
@click.option("--only", multiple=True, metavar="EXERCISE", help="Grade this exercise alone. Repeatable.")
@click.option("--student", "students", multiple=True, metavar="ID", help="Grade this student alone. Repeatable.")
@click.option("--limit", type=click.IntRange(1), help="Grade at most so many that have no result yet.")
@click.option("--again", is_flag=True, help="Grade anew what has been graded already.")
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), help="Draw inputs from this seed; the last run's if not given."
)
@click.option("--jobs", type=click.IntRange(1), help="How many submissions at a time; as many as there are cores.")
@isolation_choice
@output_option
@store_option
@course_option
@click.pass_context
def batch_command(
    ctx: click.Context,
    source: Path | None,
    dry_run: bool,
    layout: str,
    roster: Path | None,
    assignment: str,
    nbgrader_dir: Path | None,
    only: tuple[str, ...],
    students: tuple[str, ...],
    limit: int | None,
    again: bool,
    seed: int | None,
    jobs: int | None,
    require_isolation: "IsolationLevel",
    output: Path,
    store_location: str,
    course_root: Path | None,
) -> None:
    """Grade what a class handed in: a folder or zip in the layout of a learning platform, or a folder for each student.

    What is graded is kept at once. Typed again, the command goes on where it stopped, and grades only what is new or
    has changed. Exit codes: 0 whoever was asked for has a grade, 2 wrong usage, 3 the grader failed at somebody, 130
    interrupted.
    """
    from grader.course.load import digest_verdicts, load_course
    from grader.intake.dates import read_class

    if again and limit is not None:
        raise click.UsageError("--limit is for those without a result; to grade some anew, --again --student ID.")
    target = None
    if nbgrader_dir is not None:
        target = open_target(nbgrader_dir, assignment, source, layout)
        source, layout = nbgrader_dir, "nbgrader"
    elif source is None:
        raise click.UsageError("Missing argument 'SOURCE': what the class handed in, or --nbgrader COURSE_DIR.")
    trees = open_course_option(course_root)
    whole = load_course(trees)
    if target is not None and not only:
        only = target.exercises
    course = load_course(trees, _known(only, whole.settings.exercises)) if only else whole
    classroom = read_class(source, course.settings, layout=layout, roster=roster, assignment=assignment)
    if dry_run:
        show_classroom(classroom)
        return
    from grader.cli.class_run import end_run, grade_run
    from grader.cli.main import EXIT_INTERRUPTED
    from grader.cli.publish import write_files
    from grader.grading.exclusive import exclusive
    from grader.grading.plan import Asked, plan_batch
    from grader.grading.store import open_store

    exercises = tuple(exercise.id for exercise in course.exercises)
    asked = Asked(exercises, students, limit, again, seed)
    command = shlex.join(["grade", *sys.argv[1:]])
    with exclusive(store_location), open_store(store_location, create=True) as store:
        plan = plan_batch(store, course, digest_verdicts(trees, whole), str(source.resolve()), classroom, asked)
        for line in _opening(classroom, goes_on=plan.goes_on, number=plan.run.number, gone=plan.gone):
            click.echo(line, err=True)
        run, stop = grade_run(
            store,
            plan,
            trees,
            source=source.resolve(),
            jobs=jobs or os.cpu_count() or 1,
            require_isolation=require_isolation,
        )
        code = end_run(store, run, stop, again=command)
        if code != EXIT_INTERRUPTED:
            if target is None or ctx.get_parameter_source("output") is not click.core.ParameterSource.DEFAULT:
                write_files(store, run, output)
            if target is not None:
                from grader.cli.nbgrader import write_gradebook

                write_gradebook(target, store, run)
    ctx.exit(code)


def open_target(course_dir: Path, assignment: str, source: Path | None, layout: str) -> "Target":
    """Return where ``--nbgrader`` writes; what does not go with it is wrong usage."""
    if source is not None or layout not in ("auto", "nbgrader"):
        raise click.UsageError("--nbgrader reads COURSE_DIR/submitted; leave SOURCE and --layout away.")
    if not assignment:
        raise click.UsageError("--nbgrader needs --assignment NAME, as nbgrader calls it.")
    from grader.gradebooks.nbgrader import Target

    return Target(course_dir, assignment)


def show_classroom(classroom: "Classroom") -> None:
    """Print who was found and how."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from grader.report.harmless import encodable, harmless_line

    console = Console(highlight=False)
    table = Table("student", "name", "attempts", "counts", "handed in", "notes", box=None, header_style="bold")
    for hand_in in classroom.hand_ins:  # as Text: in a plain string rich would look for markup
        table.add_row(*(Text(encodable(harmless_line(cell), console.encoding)) for cell in _row(hand_in)))
    if not console.is_terminal:
        console.width = 400  # a file has no edge at which names would have to be cut
    console.print(table)
    for line in _opening(classroom, goes_on=False, number=0):
        click.echo(line)


def _row(hand_in: "HandIn") -> tuple[str, ...]:
    attempt = hand_in.counted
    when = attempt.submitted_at.strftime("%Y-%m-%d %H:%M %Z") if attempt and attempt.submitted_at else ""
    notes = list(hand_in.notes)
    if attempt and attempt.marked_late:
        notes.insert(0, "marked late")
    return (
        hand_in.student.id,
        hand_in.student.name,
        str(len(hand_in.attempts)),
        ", ".join(attempt.sources) if attempt else "nothing handed in",
        when,
        "; ".join(notes),
    )


def _opening(classroom: "Classroom", *, goes_on: bool, number: int, gone: tuple[str, ...] = ()) -> list[str]:
    from grader.report.harmless import harmless_line
    from grader.report.sentences import count

    absent = sum(hand_in.chosen is None for hand_in in classroom.hand_ins)
    lines = [f"{count(len(classroom.hand_ins), 'student')}, layout {classroom.layout}; {absent} handed in nothing."]
    if number:
        lines[0] += f" Run {number} goes on." if goes_on else f" This is run {number}."
    if gone:
        lines.append(f"No longer in the class, and so no longer in the run: {', '.join(gone)}.")
    strangers = [hand_in.student.id for hand_in in classroom.hand_ins if not hand_in.in_roster]
    if strangers:
        more = f" and {len(strangers) - _NAMED} more" if len(strangers) > _NAMED else ""
        lines.append(
            f"Not on the roster: {', '.join(strangers[:_NAMED])}{more}. If the roster has them under another name or "
            "id, they are in the run twice; mend the roster and grade again."
        )
    lines += [f"Note: {note}" for note in classroom.notes]
    if classroom.unmatched:
        lines.append(f"{len(classroom.unmatched)} paths belong to nobody:")
        lines += [f"- {path}" for path in classroom.unmatched[:_SHOWN]]
        if len(classroom.unmatched) > _SHOWN:
            lines.append(f"- and {len(classroom.unmatched) - _SHOWN} more")
    return [harmless_line(line) for line in lines]


def _known(only: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(check_exercise(name, known) for name in only)
