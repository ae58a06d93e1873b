"""``grade check --watch``: grade again on every save what the change touches."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from watchfiles import watch

from grader.cli.check import grade_with_view
from grader.intake.imports import files_used_by
from grader.model.errors import SubmissionError
from grader.report.terminal import render_report

if TYPE_CHECKING:
    from grader.grading.local import LocalGrader
    from grader.model.submission import Entry, Submission

_LOOK_MS = 1000
"""How often files are looked at although nothing was heard: some file systems tell of no change."""
_STEP_MS = 20
_DEBOUNCE_MS = 60
"""An editor saves in several steps within a few milliseconds; a longer wait would be felt."""


def watch_submission(
    grader: "LocalGrader", paths: Sequence[Path], exercises: Sequence[str], *, seed: int | None, fail_fast: bool
) -> None:
    """
    Grade once, then again whenever a file changes, until Ctrl-C.

    Args:
        grader: Stays warm between gradings.
        paths: What is graded and watched.
        exercises: What is graded at first; later only those whose code has changed.
        seed: For every grading; a fresh one each time if None.
        fail_fast: Stop at the first check that fails.
    """
    console = Console(highlight=False)
    logging.getLogger("watchfiles").setLevel(logging.ERROR)  # it warns of Ctrl-C
    changes = watch(
        *paths,
        step=_STEP_MS,
        debounce=_DEBOUNCE_MS,
        rust_timeout=_LOOK_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
    )
    next(changes)  # watches from now on, so that no save during the first grading is missed
    before = _grade(grader, paths, exercises, console, None, seed=seed, fail_fast=fail_fast)
    console.print("\nWatching for changes. Ctrl-C ends.", style="dim")
    for _ in changes:
        after = _grade(grader, paths, exercises, console, before, seed=seed, fail_fast=fail_fast)
        before = after or before


def _grade(
    grader: "LocalGrader",
    paths: Sequence[Path],
    exercises: Sequence[str],
    console: Console,
    before: "Submission | None",
    *,
    seed: int | None,
    fail_fast: bool,
) -> "Submission | None":
    try:
        submission = grader.read(paths)
    except SubmissionError as error:  # a file may be away for a moment while an editor replaces it
        click.echo(f"{error}", err=True)
        return None
    job = grader.job(submission, exercises, seed=seed, fail_fast=fail_fast)
    if before is not None:
        changed = _changed_files(before, submission)
        touched = [entry.exercise for entry in job.entries if changed & _files_behind(grader, submission, entry)]
        if not touched:
            return submission
        job = grader.job(submission, touched, seed=seed, fail_fast=fail_fast)
        console.clear()
    report = grade_with_view(grader, job, quiet=True)
    render_report(report, console)
    return submission


def _files_behind(grader: "LocalGrader", submission: "Submission", entry: "Entry") -> set[str | None]:
    """Return the files whose change can change the score of an exercise."""
    builds_on = grader.course.exercise(entry.exercise).rubric.builds_on
    replaced = {name for other in builds_on for name in grader.promises.get(other, ())}
    return {entry.path, *files_used_by(submission, entry.path, replaced)}


def _changed_files(before: "Submission", after: "Submission") -> set[str | None]:
    old, new = ({file.path: file for file in submission.files} for submission in (before, after))
    return {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
