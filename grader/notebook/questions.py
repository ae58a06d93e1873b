"""Ask an exercise's questions in a notebook: as the text of a cell to fill in."""

import secrets
import sys
from pathlib import Path
from typing import Any


def questions(exercise: str, *, course: str | Path = "") -> None:
    """
    Put a cell below this one that holds an exercise's questions with numbers of your own, to be answered and run.

    The cell writes ``EXERCISE.yaml``, which is how `check` and a grading find your answers. Where there is such a file
    already, the cell begins with what is in it. Outside a notebook the text is printed.

    Args:
        exercise: Its id, such as ``concepts``.
        course: The folder of a course of your own; the built-in one if empty.
    """
    from grader.course.answers import AnswerSheet, read_answers, write_answers
    from grader.course.questions import load_questions
    from grader.course.trees import open_course
    from grader.model.errors import GraderError

    try:
        asked = load_questions(open_course(Path(course) if course else None), exercise)
        path = Path(f"{exercise}.yaml")
        if path.is_file():
            sheet = read_answers(path.read_text("utf-8-sig", "replace"), path.name, [each.id for each in asked])
        else:
            sheet = AnswerSheet(secrets.randbelow(10**9))
    except GraderError as error:
        print(f"{exercise}: {error}")  # noqa: T201 - a cell's output
        return
    if not asked:
        print(f"{exercise} asks no questions.")  # noqa: T201 - a cell's output
        return
    text = f"%%writefile {path.name}\n{write_answers(exercise, sheet, asked)}"
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        print(text)  # noqa: T201 - a cell's output
        return
    # Into a new cell below, which is the learner's own: nothing of it was handed out.
    shell.set_next_input(text)
    print(f"Answer in the cell below, run it, then the check. If there is none, make one of this text:\n\n{text}")  # noqa: T201
