"""Check a notebook's own definitions from one of its cells."""

import importlib
import json
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.model.report import ScoreReport
    from grader.model.submission import Submission

_NAME = "notebook.ipynb"


def check(exercise: str, *, notebook: str | Path | None = None, course: str | Path = "") -> None:
    """
    Grade an exercise as it is defined in this notebook, and show the report: as HTML where there is HTML, else as text.

    What counts is the source of the cells that you have run. It runs in another process, so nothing here is changed.

    Args:
        exercise: Its id, such as ``heads``.
        notebook: A saved notebook to grade instead of this one's cells.
        course: The folder of a course of your own; the built-in one if empty.
    """
    from grader.model.errors import GraderError

    try:
        report = _report(exercise, notebook, course)
    except GraderError as error:
        print(f"{exercise}: {error}")  # noqa: T201 - a cell's output
        return
    from grader.notebook.shown import ShownReport

    shown = ShownReport(report)
    if _shell() is None:
        print(repr(shown))  # noqa: T201 - a cell's output
        return
    display: Any = importlib.import_module("IPython.display")
    display.display(shown)


def points(criterion: str, *, notebook: str | Path | None = None, course: str | Path = "") -> float:
    """
    Return the points of a criterion, and print what became of it: the last value of a cell that nbgrader grades.

    A bonus is printed and returns zero: nbgrader has no place for it in a cell.

    Args:
        criterion: Exercise and criterion, such as ``heads.split``.
        notebook: A saved notebook to grade instead of this one's cells.
        course: The folder of a course of your own; the built-in one if empty.

    Raises:
        SubmissionError: If there is no such criterion.
        GraderError: If the grader failed, so that nothing is known.
    """
    from grader.model.errors import GraderError, SubmissionError
    from grader.notebook.shown import criterion_text

    exercise, _, name = criterion.partition(".")
    report = _report(exercise, notebook, course)
    found = next((each for part in report.exercises for each in part.criteria if each.id == name), None)
    if found is None:
        raise SubmissionError(f"{exercise} has no criterion {name!r}.")
    if not report.complete and any(check.verdict.value == "errored" for check in found.checks):
        raise GraderError(f"{criterion}: the grader failed, not your code; run this cell again")
    print(criterion_text(found))  # noqa: T201 - a cell's output
    # A bonus has a cell without points, and nbgrader refuses a cell that gives more than it has.
    return 0.0 if found.bonus else float(found.score)


def _report(exercise: str, notebook: str | Path | None, course: str | Path) -> "ScoreReport":
    from grader.notebook.grading import warm_grader

    grader = warm_grader(str(course))
    submission = grader.read([Path(notebook)]) if notebook is not None else _cells_so_far(grader.promises)
    # A check and the cells of its criteria ask one after another about the same code.
    return _graded(submission.model_dump_json(), exercise, str(course))


@lru_cache(maxsize=16)
def _graded(submission: str, exercise: str, course: str) -> "ScoreReport":
    from grader.model.submission import Submission
    from grader.notebook.grading import grade_notebook

    return grade_notebook(Submission.model_validate_json(submission), (exercise,), course)


def _cells_so_far(promises: dict[str, tuple[str, ...]]) -> "Submission":
    """Return what was run in this session, in order; of equal cells the last one."""
    from grader.intake.listing import Found, Listing
    from grader.intake.membership import Role
    from grader.intake.reading import read_listing
    from grader.model.errors import SubmissionError

    shell = _shell()
    if shell is None:
        raise SubmissionError("this is no notebook; name a saved one: check(…, notebook='attention.ipynb')")
    sources: dict[str, None] = {}
    for _, _, source in shell.history_manager.get_range(raw=True, output=False):
        sources.pop(source, None)
        sources[source] = None  # at the end, also if it was there before
    cells = [{"cell_type": "code", "metadata": {}, "source": source, "outputs": []} for source in sources]
    data = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode()
    listing = Listing()
    listing.put(Found(_NAME, len(data), lambda most: data[:most]), Role.SOURCE)
    return read_listing(listing, _NAME, exercise_ids=tuple(promises), promises=promises)


def _shell() -> Any:
    """Return the running IPython, if there is one."""
    ipython: Any = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None
