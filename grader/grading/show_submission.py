"""Draw what a submission's code does: its code runs in a worker, as in grading, and the pictures are drawn here."""

import base64
import inspect
import io
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

from grader.course.load import load_pictures
from grader.course.running import run_file
from grader.grading.grade_submission import SubmissionGrader
from grader.grading.messages import ShowJob
from grader.grading.terminal_picture import draw_for_terminal
from grader.model.errors import CourseError
from grader.model.picture import ACCENT, INK, LINE, QUIET, WARN, DrawnPicture, PictureClaim, PictureForm
from grader.model.submission import Entry
from grader.sandbox.budget import Budget
from grader.sandbox.problems import LearnerProblem
from grader.sandbox.remote import RemoteLearner
from grader.suite.draw import Draw, seed_for
from grader.suite.expect import CheckFailed
from grader.suite.session import ExerciseSession
from grader.suite.time_limit import NeverEndsError, TimeLimit

_EXERCISE_S: Final = 60.0
"""Seconds for the pictures of one exercise."""
_MOST_BYTES: Final = 600_000
"""A picture larger than this is not what its author drew."""
_NOT_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_PLAIN: Final = {"text": "#1f2328", "quiet": "#59636e", "line": "#d1d9e0", "accent": "#0969da", "warn": "#bc4c00"}
_OF_PAGE: Final = {"text": INK, "quiet": QUIET, "line": LINE, "accent": ACCENT, "warn": WARN}


def show_submission(grader: SubmissionGrader, job: ShowJob) -> tuple[DrawnPicture, ...]:
    """Draw the pictures of the exercises that a job names, one after another; see `ShowJob`."""
    return tuple(picture for entry in job.entries for picture in _show_exercise(grader, job, entry))


def _show_exercise(grader: SubmissionGrader, job: ShowJob, entry: Entry) -> Iterator[DrawnPicture]:
    claims = [claim for claim in load_pictures(grader.trees, entry.exercise) if job.only in ("", claim.name)]
    if not claims:
        return
    if entry.path is None:
        problem = entry.note or f"No file provides {entry.exercise}."
        yield from (DrawnPicture(exercise=entry.exercise, claim=claim, problem=problem) for claim in claims)
        return
    exercise = grader.course.exercise(entry.exercise)
    suite = grader.suites.module(exercise.id)
    module = _load(grader.trees.pictures(entry.exercise))
    session = grader.open_session(exercise, job.submission, entry, grader.sandboxes[0], Budget(_EXERCISE_S))
    try:
        for claim in claims:
            yield _draw_one(getattr(module, f"picture_{claim.name}"), claim, session, suite, job)
    finally:
        session.close()


def _load(path: Path) -> ModuleType:
    try:
        return run_file(path, f"pictures_of_{path.stem}")
    except Exception as error:  # noqa: BLE001 - whatever an author wrote
        raise CourseError(f"pictures/{path.name} cannot be loaded: {type(error).__name__}: {error}") from None


def _draw_one(
    function: Callable[..., None], claim: PictureClaim, session: ExerciseSession, suite: Any, job: ShowJob
) -> DrawnPicture:
    exercise = session.exercise.id
    seed = seed_for(0, exercise, claim.name)  # the same inputs for everybody and at all times
    picture = DrawnPicture(exercise=exercise, claim=claim)
    try:
        with mpl.rc_context(_style(job.form)), warnings.catch_warnings():  # type: ignore[arg-type]
            warnings.simplefilter("ignore")  # such as for letters that a font lacks
            figure = Figure(figsize=(4.4, 3.2), layout="constrained")
            learner = RemoteLearner(session.begin_check(seed))
            given = {"learner": learner, "draw": Draw(seed), "figure": figure, "suite": suite}
            with TimeLimit(_EXERCISE_S):
                function(**{name: given[name] for name in inspect.signature(function).parameters})
                image = _render(figure, job)
    except (LearnerProblem, CheckFailed) as problem:
        return picture.model_copy(update={"problem": str(problem)})
    except (Exception, NeverEndsError) as error:  # noqa: BLE001 - what code claims of itself may be beyond drawing
        return picture.model_copy(update={"problem": f"It could not be drawn ({type(error).__name__})."})
    if len(image) > _MOST_BYTES:
        return picture.model_copy(update={"problem": "The picture became too large, so it is left out."})
    return picture.model_copy(update={"image": image})


def _render(figure: Figure, job: ShowJob) -> str:
    if job.form == "terminal":
        return draw_for_terminal(figure, job.columns)
    if job.form == "png":
        data = io.BytesIO()
        figure.savefig(data, format="png", dpi=160)
        return base64.b64encode(data.getvalue()).decode()
    text = io.StringIO()
    metadata: dict[str, Any] = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(text, format="svg", transparent=job.form == "page", metadata=metadata)
    return _NOT_XML.sub("", text.getvalue())


def _style(form: PictureForm) -> dict[str, object]:
    """Return matplotlib's settings; ``C0`` to ``C3`` are the accent, a warning, the text's and a quiet colour."""
    colours = _OF_PAGE if form == "page" else _PLAIN
    cycle = mpl.cycler(color=[colours[name] for name in ("accent", "warn", "text", "quiet")])  # type: ignore[attr-defined]
    return {
        "axes.edgecolor": colours["quiet"],
        "axes.labelcolor": colours["quiet"],
        "axes.labelsize": "medium",
        "axes.prop_cycle": cycle,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlelocation": "left",
        "axes.titlesize": "medium",
        "figure.titlesize": "medium",
        "font.family": "sans-serif",
        "font.size": 9,
        "grid.color": colours["line"],
        "grid.linewidth": 0.6,
        "image.interpolation": "none",
        "legend.frameon": False,
        "legend.fontsize": "small",
        "svg.fonttype": "none",
        "svg.hashsalt": "picture",
        "text.color": colours["text"],
        "text.parse_math": False,  # labels may come from a learner's code
        "xtick.color": colours["quiet"],
        "ytick.color": colours["quiet"],
        "xtick.labelsize": "small",
        "ytick.labelsize": "small",
    }
