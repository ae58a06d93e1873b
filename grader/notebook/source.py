"""Write a course as a notebook from which nbgrader makes what is handed out."""

import importlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from grader.course.trees import CourseTrees
from grader.model.course import Course, Exercise
from grader.model.errors import CourseError
from grader.notebook.definitions import join_solution
from grader.notebook.prose import to_markdown
from grader.notebook.released import (
    ABOUT,
    CHECK,
    IMPORTS,
    QUESTIONS,
    SCHEMA,
    answer_cell,
    criterion_cell,
    notebook_metadata,
)

_EXERCISE_LINE = re.compile(r"\AExercise: \w+\s*")

_HOW_TO = """\
Each exercise has a text, cells to write in, and a cell that checks what you wrote. Put your code in place of each line
that raises `NotImplementedError`, run the cell, then run the check below it: it says which idea to fix next. The cells
behind it show your points. Run them whenever you like.

While an exercise is graded, what it builds on is replaced by versions that work, so a mistake costs points once."""


def build_source(trees: CourseTrees, course: Course) -> str:
    """
    Return the source notebook of a course, or of some of its exercises: the same text each time.

    Solutions stand between nbgrader's markers. Each criterion of a rubric has a locked cell with its points.

    Raises:
        CourseError: If a solution differs from its stub in more than bodies, or two cells would have one name.
    """
    cells = [_markdown("about", f"# {course.settings.title}\n\n{_HOW_TO}")]
    for exercise in course.exercises:
        cells += _exercise_cells(trees, course, exercise)
    twice = [name for name, count in Counter(cell["id"] for cell in cells).items() if count > 1]
    if twice:
        raise CourseError(f"two cells would be called {twice[0]}; rename the exercise or the criterion.")
    notebook = {
        "cells": cells,
        "metadata": notebook_metadata(),
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    nbformat: Any = importlib.import_module("nbformat")
    written: str = nbformat.writes(nbformat.from_dict(notebook))
    return f"{written.rstrip()}\n"


def _exercise_cells(trees: CourseTrees, course: Course, exercise: Exercise) -> Iterator[dict[str, Any]]:
    rubric = exercise.rubric
    stub, solution = (path(exercise.id).read_text("utf-8") for path in (trees.stub, trees.solution))
    parts = join_solution(exercise.id, stub, solution, course.settings.exercises)
    text = to_markdown(_EXERCISE_LINE.sub("", parts.docstring), rubric.formulas)
    bonus = f", and {rubric.bonus:g} of bonus" if rubric.bonus else ""
    yield _markdown(f"{ABOUT}{exercise.id}", f"## {rubric.title}\n\n*{rubric.points:g} points{bonus}*\n\n{text}")
    if parts.shared:
        yield _code(f"{IMPORTS}{exercise.id}", parts.shared, locked=True)
    if exercise.has_questions:
        asking = f'from grader.notebook import questions\n\nquestions("{exercise.id}")'
        yield _code(f"{QUESTIONS}{exercise.id}", asking, locked=True)
    for name, answer in parts.answers:
        yield _code(answer_cell(exercise.id, name), answer, solution=True)
    check = f'from grader.notebook import check\n\ncheck("{exercise.id}")'
    yield _code(f"{CHECK}{exercise.id}", check, locked=True)
    for criterion in rubric.criteria:
        said = "1 point" if criterion.points == 1 else f"{criterion.points:g} points"
        said = f"{said} of bonus" if criterion.bonus else said
        lines = (
            f"# {said}: {criterion.title}",
            "from grader.notebook import points",
            "",
            f'points("{exercise.id}.{criterion.id}")',
        )
        grade_id = criterion_cell(exercise.id, criterion.id)
        yield _code(grade_id, "\n".join(lines), locked=True, points=0 if criterion.bonus else criterion.points)


def _markdown(grade_id: str, text: str) -> dict[str, Any]:
    metadata = {"nbgrader": _nbgrader(grade_id, locked=True)}
    return {"cell_type": "markdown", "id": grade_id[:64], "metadata": metadata, "source": text}


def _code(
    grade_id: str, text: str, *, locked: bool = False, solution: bool = False, points: float | None = None
) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": grade_id[:64],
        "metadata": {"nbgrader": _nbgrader(grade_id, locked=locked, solution=solution, points=points)},
        "outputs": [],
        "source": text,
    }


def _nbgrader(
    grade_id: str, *, locked: bool = False, solution: bool = False, points: float | None = None
) -> dict[str, Any]:
    return {
        "grade": points is not None,
        "grade_id": grade_id,
        "locked": locked,
        **({"points": points} if points is not None else {}),
        "schema_version": SCHEMA,
        "solution": solution,
        "task": False,
    }
