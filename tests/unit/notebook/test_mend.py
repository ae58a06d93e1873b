"""Mending notebooks that were handed in."""

from typing import Any

from nbformat.v4 import new_code_cell, new_notebook

from grader.notebook.mend import Released, mend, metadata_of

ANSWER = Released("heads--split", "code", "stub", "a" * 32, locked=False, solution=True, points=None)
POINTS = Released("heads-split", "code", "points()", "b" * 32, locked=True, solution=False, points=3.0)


def cell(released: Released, source: str | None = None, **metadata: Any) -> Any:
    """A cell as it was handed in."""
    return new_code_cell(
        released.source if source is None else source, metadata={"nbgrader": {**metadata_of(released), **metadata}}
    )


def names(notebook: Any) -> list[str]:
    """Which cell is whose."""
    return [each.metadata.get("nbgrader", {}).get("grade_id", "") for each in notebook.cells]


def test_a_notebook_as_it_was_handed_out_stays() -> None:
    """Nothing to mend, nothing to say."""
    notebook = new_notebook(cells=[cell(ANSWER, "answer"), cell(POINTS)])

    assert [] == mend(notebook, [ANSWER, POINTS])
    assert ["answer", "points()"] == [each.source for each in notebook.cells]


def test_the_last_of_two_cells_with_one_name_has_it() -> None:
    """As the last definition counts."""
    notebook = new_notebook(cells=[cell(ANSWER, "old"), cell(ANSWER, "new"), cell(POINTS)])

    assert ["the cell heads--split is there twice; the last one counts"] == mend(notebook, [ANSWER, POINTS])
    assert ["", "heads--split", "heads-split"] == names(notebook)


def test_a_graded_cell_that_is_gone_comes_back_in_its_place() -> None:
    """Formgrader shows points at their cell."""
    notebook = new_notebook(cells=[cell(ANSWER, "answer"), new_code_cell("mine")])

    assert ["the cell heads-split was missing; it was put back"] == mend(notebook, [ANSWER, POINTS])
    assert ["heads--split", "heads-split", ""] == names(notebook)


def test_an_answer_that_is_gone_is_not_overwritten_by_the_stub() -> None:
    """It may stand in another cell."""
    notebook = new_notebook(cells=[new_code_cell("answer"), cell(POINTS)])

    assert ["the cell heads--split is missing; its answer counts wherever it stands"] == mend(
        notebook, [ANSWER, POINTS]
    )
    assert ["answer", "points()"] == [each.source for each in notebook.cells]


def test_changed_points_and_locked_cells_are_restored() -> None:
    """Metadata is in the learner's hands."""
    notebook = new_notebook(cells=[cell(ANSWER, "answer"), cell(POINTS, "3.0", points=300)])

    notes = mend(notebook, [ANSWER, POINTS])

    assert [
        "the points of heads-split were changed in the notebook; those of the gradebook count",
        "the locked cell heads-split was changed; it is shown as it was handed out",
    ] == notes
    assert metadata_of(POINTS) == notebook.cells[1].metadata["nbgrader"]
    assert "points()" == notebook.cells[1].source


def test_what_is_odd_about_many_cells_is_one_sentence() -> None:
    """A notebook with every cell twice is one oddity, and not a hundred."""
    released = [POINTS._replace(name=f"heads-{letter}") for letter in "abcdef"]
    twice = new_notebook(cells=[cell(each) for each in released for _ in range(2)])
    changed = new_notebook(cells=[cell(each, points=300 if each.name < "heads-c" else 3.0) for each in released])

    assert ["the cells heads-a, heads-b, heads-c and 3 more are there twice; the last ones count"] == mend(
        twice, released
    )
    assert ["the points of heads-a and heads-b were changed in the notebook; those of the gradebook count"] == mend(
        changed, released
    )


def test_metadata_of_any_shape_does_no_harm() -> None:
    """A notebook is JSON that anybody can write."""
    odd = [
        new_code_cell("x", metadata={"nbgrader": value}) for value in ([], 1, {"grade_id": 7}, {"grade_id": "other"})
    ]
    notebook = new_notebook(cells=[*odd, cell(ANSWER), cell(POINTS)])

    assert [] == mend(notebook, [ANSWER, POINTS])
    assert ["", "", "", "", "heads--split", "heads-split"] == names(notebook)
