"""A mutant is the solution with one small thing changed, under a name that lasts."""

import sys

import pytest

from grader.authoring.mutate import MutantName, make_mutants, normal_form
from grader.model.errors import GraderError

pytest.importorskip("mutmut", reason="mutants are made by mutmut")

SOURCE = '''
"""Words of 1 module."""

import math as m

LIMIT = 3


class Thing:
    """Words of 1 class."""

    size = 2

    def area(self, width: "int | None" = 4) -> float:
        """Words of 1 function."""
        if width < 5:
            raise ValueError("six is not " + str(6))
        # Seven.
        return width * m.pi
'''


def names(source: str) -> list[MutantName]:
    """The names of a source's mutants."""
    return [mutant.name for mutant in make_mutants(source)]


def test_a_changed_operator_number_or_comparison_is_a_mutant() -> None:
    """With the line before and after."""
    found = names(SOURCE)

    assert MutantName("Thing.area", "swap_op", "return width * m.pi", "return width / m.pi") in found
    assert MutantName("Thing.area", "swap_op", "if width < 5:", "if width <= 5:") in found
    assert MutantName("Thing.area", "number", "if width < 5:", "if width < 6:") in found


def test_a_default_value_is_changed_too() -> None:
    """It is part of what a function does."""
    (found,) = [name for name in names(SOURCE) if name.before.startswith("def area")]

    assert found.after.startswith("def area(self, width: 'int | None'=5)")


def test_an_argument_that_is_left_out_is_a_mutant() -> None:
    """As when a device or a dtype is forgotten."""
    found = names("def f(n):\n    return zeros(n, device=n.device)\n")

    assert MutantName("f", "arg_removal", "return zeros(n, device=n.device)", "return zeros(n)") in found


def test_nothing_else_is_changed() -> None:
    """Not what is outside functions, nor docstrings, annotations, imports, or the words of an exception."""
    expected = {"return width * m.pi", "if width < 5:", "def area(self, width: 'int | None'=4) -> float:"}

    assert expected == {name.before for name in names(SOURCE)}


def test_each_mutant_is_python_and_differs_from_all_others() -> None:
    """So that none is counted twice, and none is killed by what has nothing to do with its change."""
    mutants = make_mutants(SOURCE)

    assert len(mutants) == len({mutant.text for mutant in mutants} - {normal_form(SOURCE)})
    for mutant in mutants:
        compile(mutant.text, "mutant", "exec")
        changed = set(mutant.text.splitlines()) ^ set(normal_form(SOURCE).splitlines())
        assert 2 == len(changed), changed


def test_a_name_outlives_moved_wrapped_and_commented_lines() -> None:
    """A list of equivalent mutants must not go stale when a comment does."""
    moved = SOURCE.replace(
        "return width * m.pi", "return (\n            width  # twelve\n            * m.pi\n        )"
    )
    assert moved != SOURCE

    assert names(SOURCE) == names("\n\n\n" + moved)


def test_a_missing_tool_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to type."""
    monkeypatch.setitem(sys.modules, "mutmut.mutation.mutators", None)

    with pytest.raises(GraderError, match=r"mutmut, which is not installed: .* -m pip install 'mutmut"):
        make_mutants(SOURCE)
