"""Bring a notebook that was handed in back to the cells that were handed out, as far as nbgrader knows them."""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

from grader.notebook.released import SCHEMA, place_of

_NAMED: Final = 3
"""More cells with the same oddity are counted, not named: a notebook may have hundreds."""


class _Odd(Enum):
    """What can be odd about a cell, in words for one and for several."""

    TWICE = ("the cell {} is there twice; the last one counts", "the cells {} are there twice; the last ones count")
    RETYPED = ("the cell {} was made a cell of another type", "the cells {} were made cells of another type")
    POINTS = ("the points of {} were changed in the notebook; those of the gradebook count",) * 2
    LOCKED = (
        "the locked cell {} was changed; it is shown as it was handed out",
        "the locked cells {} were changed; they are shown as they were handed out",
    )
    GONE = ("the cell {} was missing; it was put back", "the cells {} were missing; they were put back")
    ANSWER_GONE = (
        "the cell {} is missing; its answer counts wherever it stands",
        "the cells {} are missing; their answers count wherever they stand",
    )

    def tell(self, names: Sequence[str]) -> str:
        """Return one sentence about all cells of which it is true."""
        one, several = self.value
        if len(names) == 1:
            return one.format(names[0])
        if len(names) > _NAMED + 1:
            return several.format(f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more")
        return several.format(f"{', '.join(names[:-1])} and {names[-1]}")


class _Note(NamedTuple):
    odd: _Odd
    name: str


class Released(NamedTuple):
    """A cell that was handed out, as nbgrader's gradebook keeps it."""

    name: str
    cell_type: str
    source: str
    checksum: str
    locked: bool
    solution: bool
    points: float | None
    """None: it is not graded."""

    @property
    def exercise(self) -> str:
        """Whose criterion it grades; empty if none's."""
        place = place_of(self.name) if self.points is not None else None
        return place.exercise if place else ""


def released_cells(notebook: Any) -> tuple[Released, ...]:
    """Return the cells of one of the gradebook's notebooks, in their order; without nbgrader's tasks."""
    points = {cell.name: float(cell.max_score) for cell in notebook.grade_cells}
    solutions = {cell.name for cell in notebook.solution_cells}
    tasks = {cell.name for cell in notebook.task_cells}
    return tuple(
        Released(
            name=cell.name,
            cell_type=cell.cell_type,
            source=cell.source or "",
            checksum=cell.checksum or "",
            locked=bool(cell.locked),
            solution=cell.name in solutions,
            points=points.get(cell.name),
        )
        for cell in notebook.source_cells
        if cell.name not in tasks
    )


def is_ours(released: Sequence[Released]) -> bool:
    """Whether points of a notebook come from this kit: others of the same course are nbgrader's own affair."""
    return any(cell.points is not None and "grader.notebook" in cell.source for cell in released)


def mend(notebook: Any, released: Sequence[Released]) -> list[str]:
    """
    Mend a notebook in place: metadata, locked cells, and graded cells that are gone. Answers stay as they are.

    Of several cells with one name the last one has it, as the last definition counts in Python.

    Args:
        notebook: Of format 4.
        released: What was handed out.

    Returns:
        What was found, in words for the teacher.
    """
    known = {cell.name: cell for cell in released}
    notes: list[_Note] = []
    found: dict[str, int] = {}
    for number in range(len(notebook.cells) - 1, -1, -1):
        cell = notebook.cells[number]
        given = cell.metadata.pop("nbgrader", None)
        name = given.get("grade_id") if isinstance(given, Mapping) else None
        if not isinstance(name, str) or name not in known:
            continue
        if name in found:
            notes.append(_Note(_Odd.TWICE, name))
            continue
        found[name] = number
        notes += _mend_cell(cell, known[name], given or {})
    notes.reverse()
    notes += _put_back(notebook, released, found)
    _make_ids_distinct(notebook)
    return list(_tell(notes))


def _tell(notes: Sequence[_Note]) -> Iterator[str]:
    for odd in _Odd:
        names = list(dict.fromkeys(note.name for note in notes if note.odd is odd))
        if names:
            yield odd.tell(names)


def metadata_of(cell: Released) -> dict[str, Any]:
    """Return what nbgrader keeps in a cell's metadata."""
    return {
        "cell_type": cell.cell_type,
        "checksum": cell.checksum,
        "grade": cell.points is not None,
        "grade_id": cell.name,
        "locked": cell.locked,
        **({"points": cell.points} if cell.points is not None else {}),
        "schema_version": SCHEMA,
        "solution": cell.solution,
        "task": False,
    }


def new_cell(cell: Released) -> Any:
    """Return a cell as it was handed out."""
    v4: Any = importlib.import_module("nbformat.v4")
    make = v4.new_code_cell if cell.cell_type == "code" else v4.new_markdown_cell
    return make(cell.source, metadata={"nbgrader": metadata_of(cell)})


def _mend_cell(cell: Any, released: Released, given: Mapping[str, Any]) -> Iterator[_Note]:
    if cell.cell_type != released.cell_type:
        yield _Note(_Odd.RETYPED, released.name)
        cell.cell_type = released.cell_type
        if released.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
        else:
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
    if released.points is not None and given.get("points") != released.points:
        yield _Note(_Odd.POINTS, released.name)
    if released.locked and cell.source != released.source:
        yield _Note(_Odd.LOCKED, released.name)
        cell.source = released.source
    cell.metadata["nbgrader"] = metadata_of(released)


def _put_back(notebook: Any, released: Sequence[Released], found: Mapping[str, int]) -> list[_Note]:
    """Put graded cells that are gone behind the one that was before them."""
    behind: dict[int, list[Any]] = {}
    notes: list[_Note] = []
    before = -1
    for cell in released:
        if cell.name in found:
            before = max(before, found[cell.name])
        elif cell.points is not None:
            notes.append(_Note(_Odd.GONE, cell.name))
            behind.setdefault(before, []).append(new_cell(cell))
        elif cell.solution:
            notes.append(_Note(_Odd.ANSWER_GONE, cell.name))
    for place in sorted(behind, reverse=True):
        notebook.cells[place + 1 : place + 1] = behind[place]
    return notes


def _make_ids_distinct(notebook: Any) -> None:
    seen: set[str] = set()
    for number, cell in enumerate(notebook.cells):
        if not isinstance(cell.get("id"), str) or not cell["id"] or cell["id"] in seen:
            cell["id"] = f"cell-{number}"
        seen.add(cell["id"])
    notebook.nbformat, notebook.nbformat_minor = 4, 5
