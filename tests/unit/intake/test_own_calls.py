"""Calls of this kit in a notebook that is graded."""

from grader.intake.own_calls import leave_out_own_calls
from grader.model.submission import Cell


def texts(*cells: str) -> list[str]:
    """What is left of cells."""
    return [cell.text for cell in leave_out_own_calls([Cell(text=text) for text in cells])]


def test_a_cell_that_only_asks_for_a_report_is_gone() -> None:
    """It is being graded already; and who asks more often has handed in the same."""
    ask = 'from grader.notebook import check\n\ncheck("heads")'

    assert ["x = 1"] == texts("x = 1", ask, 'check("masking")')


def test_what_stands_beside_a_call_keeps_its_lines() -> None:
    """A traceback names lines."""
    assert ["\nx = 1\n\n", "pass; y = 2"] == texts(
        'from grader.notebook import points\nx = 1\n\npoints("heads.split")', 'points("a.b"); y = 2'
    )


def test_a_function_of_that_name_stays_where_the_kit_is_not_imported() -> None:
    """A learner may call a function `check`."""
    assert ["def check(x): ...", 'check("heads")'] == texts("def check(x): ...", 'check("heads")')
