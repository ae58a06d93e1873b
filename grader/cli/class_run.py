"""Grade a run of a class on the terminal: progress, Ctrl-C, and what came of it."""

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from grader.grading.batch import Batch, Step, StopRequest, grade_all
from grader.grading.engine import LocalEngine
from grader.grading.messages import ReaderSettings, RunnerSettings
from grader.grading.readers import Readers
from grader.grading.store import Run, Status, Store
from grader.report.batch_view import BatchView

if TYPE_CHECKING:
    from grader.course.trees import CourseTrees
    from grader.grading.plan import Plan
    from grader.model.classroom import HandIn
    from grader.model.report import IsolationLevel
    from grader.model.submission import Submission

_READ_BY = 4
"""One process that reads keeps so many runners busy."""


def grade_run(
    store: Store,
    plan: "Plan",
    trees: "CourseTrees",
    *,
    source: Path | None,
    jobs: int,
    require_isolation: "IsolationLevel | None",
    text_of: "Callable[[HandIn], Submission | None] | None" = None,
) -> tuple[Run, StopRequest]:
    """Grade what a plan says, showing how it goes; return the run as it is then, and whether it was interrupted."""
    run = plan.run
    stop = StopRequest()
    settings = RunnerSettings(course=str(trees.root), only=_only(run), require_isolation=require_isolation)
    promises = {exercise.id: exercise.promises for exercise in run.course.exercises}
    with BatchView(len(plan.todo)) as view, _interruptible(stop, view):

        def tell(step: Step) -> None:
            counts = Counter(verdict for checks in step.outcome.verdicts.values() for verdict in checks.values())
            view.done(step.student, counts, step.problem)

        batch = Batch(
            store=store,
            run=run,
            readers=Readers(ReaderSettings(source=str(source or ""), promises=promises), max(1, jobs // _READ_BY)),
            engine=LocalEngine(settings, run.course, jobs),
            stop=stop,
            tell=tell,
            text_of=text_of,
        )
        grade_all(batch, plan.todo)
    counts = store.count(run)
    # With something errored it is not finished either, so that the same command tries just that again.
    if not counts[Status.WAITING] and not counts[Status.ERRORED]:
        run = store.finish_run(run)
    return run, stop


def end_run(store: Store, run: Run, stop: StopRequest, *, again: str) -> int:
    """Print what came of a run, and return the exit code: 3 if the grader failed at something, 130 if interrupted."""
    from grader.cli.main import EXIT_FULL_MARKS, EXIT_GRADER_FAILED, EXIT_INTERRUPTED

    counts = store.count(run)
    graded, errored, waiting = counts[Status.GRADED], counts[Status.ERRORED], counts[Status.WAITING]
    said = f"Run {run.number}: {graded} of {graded + errored + waiting} graded"
    click.echo(f"{said}, {errored} errored. Kept in {store.shown}." if errored else f"{said}. Kept in {store.shown}.")
    if waiting and stop.asked:
        click.echo(f"Interrupted. Go on with: {again}")
        return EXIT_INTERRUPTED
    if waiting:
        click.echo(f"{waiting} still wait for `grade batch` without --student and --limit.")
    if errored:
        click.echo("Errored is the grader's own fault, and no grade. To try once more, type the same command again.")
    return EXIT_GRADER_FAILED if errored else EXIT_FULL_MARKS


@contextmanager
def _interruptible(stop: StopRequest, view: BatchView) -> Iterator[None]:
    """Turn the first Ctrl-C into a request to end in order, and the second into one to drop what is running."""

    def ask(number: int, frame: FrameType | None) -> None:
        del number, frame
        if stop.asked:
            stop.at_once = True
        stop.asked = True
        view.notice("Stopping: what is being graded is finished first. Ctrl-C again drops it.")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _only(run: Run) -> tuple[str, ...]:
    return run.exercises if len(run.exercises) < len(run.course.settings.exercises) else ()
