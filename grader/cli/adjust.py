"""``grade adjust``: decide a criterion's points by hand."""

import getpass
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from grader.cli.options import store_option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.grading.store import Run, Store
    from grader.model.adjustment import Adjustment


@click.command("adjust", epilog="Example: grade adjust 0042 heads.split 2 --why 'Right by another convention.'")
@click.argument("student", required=False)
@click.argument("criterion", required=False)
@click.argument("points", required=False, type=click.FloatRange(0))
@click.option("--why", metavar="TEXT", help="The reason; the student reads it.")
@click.option("--author", metavar="NAME", help="Who decided; your user name if not given.")
@click.option("--withdraw", is_flag=True, help="Take an earlier decision back: the checks decide again.")
@store_option
def adjust_command(
    student: str | None,
    criterion: str | None,
    points: float | None,
    why: str | None,
    author: str | None,
    withdraw: bool,
    store_location: str,
) -> None:
    """Set what CRITERION gives STUDENT to POINTS, whatever the checks say; without arguments, list all decisions.

    POINTS is not added to anything, so that grading again cannot pay twice. CRITERION is EXERCISE.CRITERION, or the
    criterion alone if only one exercise has it. Decisions stay with every later run.
    """
    from grader.grading.store import open_store

    listing = student is None or (criterion is None and points is None and not why and not withdraw)
    if not listing:
        if criterion is None or (points is None) == (not withdraw):
            raise click.UsageError("Give STUDENT, CRITERION and either POINTS or --withdraw.")
        if not why or not why.strip():
            raise click.UsageError("Give the reason with --why: the student reads it.")
    with open_store(store_location) as store:
        if listing:
            decisions = store.adjustments(student)
            for made in decisions:
                click.echo(describe(made))
            if not decisions:
                click.echo(f"No decision by hand{f' for {student}' if student else ''} is in {store.shown}.")
            return
        assert student is not None
        assert criterion is not None
        assert why is not None
        run = store.run()
        made = _decide(store, run, student, criterion, points, why.strip(), author or _user())
        store.adjust(made)
        (result,) = store.results(run, [student])
    click.echo(describe(made))
    grade = result.grade
    has = "no grade yet" if grade is None or grade.final is None else _points(grade.final)
    if grade is not None and grade.max_bonus:
        has += f" and {grade.bonus:g} of {grade.max_bonus:g} bonus points"
    click.echo(f"{student} has {has} in run {run.number}. The files go out with: grade publish")


def describe(made: "Adjustment") -> str:
    """Return a decision as one line."""
    from grader.report.harmless import harmless_line

    what = "withdrawn" if made.points is None else _points(made.points)
    when = made.at.strftime("%Y-%m-%d %H:%M %Z")
    return harmless_line(
        f"{made.student}: {made.exercise}.{made.criterion}: {what}: {made.why} ({made.author}, {when})"
    )


def _points(value: float) -> str:
    """Return points to the last digit: what was decided is shown as it was typed."""
    return f"{value:g} {'point' if value == 1 else 'points'}"


def _decide(
    store: "Store", run: "Run", student: str, criterion: str, points: float | None, why: str, author: str
) -> "Adjustment":
    from grader.model.adjustment import Adjustment
    from grader.model.errors import did_you_mean

    if not any(store.results(run, [student])):
        known = [result.student.id for result in store.results(run)]
        raise click.BadParameter(f"nobody in run {run.number} has the id {student!r}.{did_you_mean(student, known)}")
    name = _standing(store, student, criterion) if points is None else _criterion_of(run, criterion, points)
    exercise, _, criterion = name.partition(".")
    return Adjustment(
        student=student,
        exercise=exercise,
        criterion=criterion,
        points=points,
        why=why,
        author=author,
        at=datetime.now(UTC),
    )


def _standing(store: "Store", student: str, criterion: str) -> str:
    """Return what an earlier decision is about, also where the rubric no longer has that criterion."""
    from grader.model.adjustment import adjustments_in_force

    standing = [f"{made.exercise}.{made.criterion}" for made in adjustments_in_force(store.adjustments(student))]
    found = _meant(criterion, standing)
    if len(found) != 1:
        there = f"{student} has decisions on {', '.join(standing)}" if standing else f"none stands for {student}"
        raise click.BadParameter(f"no decision on {criterion!r} to withdraw: {there}.", param_hint="CRITERION")
    return found[0]


def _criterion_of(run: "Run", criterion: str, points: float) -> str:
    """Return the one criterion that is meant, as EXERCISE.CRITERION, if it may give so many points."""
    from grader.model.errors import did_you_mean

    worth = {
        f"{exercise.id}.{each.id}": each.points
        for exercise in run.course.exercises
        for each in exercise.rubric.criteria
    }
    found = _meant(criterion, worth)
    if len(found) != 1:
        if found:
            problem = f"several exercises have {criterion!r}: {', '.join(found)}."
        else:
            names = [*worth, *(name.partition(".")[2] for name in worth)]
            problem = f"no criterion {criterion!r}.{did_you_mean(criterion, names)}"
        raise click.BadParameter(problem, param_hint="CRITERION")
    if not points <= worth[found[0]]:  # NaN is not, either
        raise click.BadParameter(f"{found[0]} has only {worth[found[0]]:g} points", param_hint="POINTS")
    return found[0]


def _meant(criterion: str, names: "Iterable[str]") -> list[str]:
    """Return those of the names EXERCISE.CRITERION that are typed, whole or as the criterion alone."""
    return [name for name in names if criterion in (name, name.partition(".")[2])]


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in containers
        return f"user {os.getuid()}"
