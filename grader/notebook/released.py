"""What the cells of a notebook that is handed out are called, and where to find their points."""

from typing import Any, Final, NamedTuple

CHECK: Final = "check--"
ABOUT: Final = "about--"
IMPORTS: Final = "imports--"
QUESTIONS: Final = "questions--"

SCHEMA: Final = 3
"""The version of nbgrader's metadata that cells are written in."""


def notebook_metadata() -> dict[str, Any]:
    """Return what a notebook of this course says of itself."""
    return {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }


class Place(NamedTuple):
    """A criterion of an exercise."""

    exercise: str
    criterion: str


def criterion_cell(exercise: str, criterion: str) -> str:
    """Return the grade id of the cell that holds a criterion's points."""
    return f"{exercise}-{criterion}"


def answer_cell(exercise: str, name: str) -> str:
    """Return the grade id of the cell in which a promised name is written."""
    return f"{exercise}--{name}"


def place_of(grade_id: str) -> Place | None:
    """Return the criterion whose points a cell holds; None for any other cell."""
    exercise, hyphen, criterion = grade_id.partition("-")
    return Place(exercise, criterion) if hyphen and criterion and "-" not in criterion else None


def answered_in(grade_id: str) -> str:
    """Return the exercise that is answered in a cell; empty for any other cell."""
    exercise, hyphens, name = grade_id.partition("--")
    return exercise if hyphens and name and f"{exercise}--" not in (ABOUT, IMPORTS, QUESTIONS, CHECK) else ""


def checked_in(grade_id: str) -> str:
    """Return the exercise whose report a cell shows; empty for any other cell."""
    return grade_id.removeprefix(CHECK) if grade_id.startswith(CHECK) else ""
