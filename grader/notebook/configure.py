"""Set up a course of nbgrader so that `nbgrader autograde` grades with this kit."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

_CELL_S: Final = 600
_NBGRADERS_CELL_S: Final = 30
STUB: Final = 'raise NotImplementedError("still to be written")'


def configure(c: Any, course: str = "", require_isolation: str = "strong") -> None:
    """
    Let nbgrader grade with this kit: for ``nbgrader_config.py``.

    No code of a submission runs in a kernel then, so nothing that a notebook does there reaches its points.

    Args:
        c: What ``get_config()`` gives.
        course: The folder of a course of your own; the built-in one if empty.
        require_isolation: Run no code with less isolation: ``strong``, ``basic`` or ``process``.
    """
    ours = "grader.notebook.autograde"
    c.ClearSolutions.code_stub = {"python": STUB}
    c.ExportApp.plugin_class = f"{ours.rpartition('.')[0]}.export.QuotedExport"
    if "timeout" not in c.Execute:
        # For `nbgrader validate`, which runs the solutions: the first check imports torch, and each has limits of its
        # own. What learners wrote in notebooks of the course's own keeps nbgrader's limit.
        c.Execute.timeout = _CELL_S
        c.GradeWithKit.timeout = _NBGRADERS_CELL_S
    c.GradeWithKit.course = course
    c.GradeWithKit.require_isolation = require_isolation
    c.Autograde.sanitize_preprocessors = [
        f"{ours}.MendCells",
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.DeduplicateIds",
        "nbgrader.preprocessors.OverwriteKernelspec",
        "nbgrader.preprocessors.OverwriteCells",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    c.Autograde.autograde_preprocessors = [
        f"{ours}.GradeWithKit",
        "nbgrader.preprocessors.IgnorePattern",
        "nbconvert.preprocessors.ClearMetadataPreprocessor",
        "nbgrader.preprocessors.LimitOutput",
        "nbgrader.preprocessors.SaveAutoGrades",
        f"{ours}.SaveComments",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]


def config_lines(course_id: str, course: Path | None) -> list[str]:
    """Return the lines of a new ``nbgrader_config.py``."""
    argument = f", course={str(course)!r}" if course else ""
    return [
        "# Written by `grade nbgrader source`, which does not touch it again.",
        "c = get_config()",
        f"c.CourseDirectory.course_id = {course_id!r}",
        "",
        "# `nbgrader autograde` and formgrader's button grade with this kit instead of a kernel.",
        f"from grader.notebook.configure import configure; configure(c{argument})",
    ]


def write_config(path: Path, lines: Sequence[str]) -> bool:
    """Write a new configuration; return False if there is one, which stays."""
    from grader.report.atomic import write_atomically

    if path.exists():
        return False
    write_atomically(path, "\n".join([*lines, ""]))
    return True
