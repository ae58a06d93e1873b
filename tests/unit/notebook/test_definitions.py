"""Joining a stub and its solution."""

import pytest

from grader.model.errors import CourseError
from grader.notebook.definitions import join_solution

STUB = '''"""
Exercise: layer

Text.
"""

from double import double
from torch import Tensor, nn

LIMIT = 3


class Layer(nn.Module):
    """Docs."""

    def __init__(self) -> None:
        """Make it."""
        super().__init__()
        # TODO: make
        # it.
        raise NotImplementedError("Layer is still to be written")

    def forward(self, x: Tensor) -> Tensor:
        """Use it."""
        # TODO: use double.
        raise NotImplementedError("forward is still to be written")
'''
SOLUTION = STUB.replace(
    '        # TODO: make\n        # it.\n        raise NotImplementedError("Layer is still to be written")',
    "        # One.\n        self.one = 1",
).replace(
    '        # TODO: use double.\n        raise NotImplementedError("forward is still to be written")',
    "        return double(x, self.one)",
)


def test_each_body_stands_between_markers_below_its_advice() -> None:
    """So that nbgrader takes out the solution, and nothing else."""
    (answer,) = join_solution("layer", STUB, SOLUTION, ["double", "layer"]).answers

    expected = '''class Layer(nn.Module):
    """Docs."""

    def __init__(self) -> None:
        """Make it."""
        super().__init__()
        # TODO: make
        # it.
        ### BEGIN SOLUTION
        # One.
        self.one = 1
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """Use it."""
        # TODO: use double.
        ### BEGIN SOLUTION
        return double(x, self.one)
        ### END SOLUTION'''
    assert ("Layer", expected) == answer


def test_siblings_are_not_imported_in_a_notebook_that_defines_them() -> None:
    """There is no module of that name in a notebook."""
    parts = join_solution("layer", STUB, SOLUTION, ["double", "layer"])

    assert "from torch import Tensor, nn\nLIMIT = 3" == parts.shared


def test_a_solution_that_differs_in_more_than_bodies_is_refused() -> None:
    """Otherwise what is handed out would not be the stub."""
    with pytest.raises(CourseError, match="Layer.forward differs from exercises/layer.py in more than what stands in"):
        join_solution("layer", STUB, SOLUTION.replace("Use it.", "Use that."), ["double"])
    with pytest.raises(CourseError, match="Layer.forward is missing"):
        join_solution("layer", STUB, SOLUTION.replace("def forward", "def backward"), ["double"])
