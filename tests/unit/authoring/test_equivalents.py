"""A mutant loses points, or somebody has written down why it need not."""

import shutil
from pathlib import Path

import pytest

from grader.authoring.course import CourseProof, prove_course
from grader.authoring.equivalents import EquivalentMutant, judge_mutants, read_equivalents
from grader.authoring.mutate import Mutant, MutantName
from grader.course.trees import CourseTrees
from grader.model.errors import CourseError
from tests.conftest import MINI_COURSE

GONE = MutantName("double", "number", "return x * 2 ** times", "return x * 9 ** times")

LISTED = """
equivalent:
  - function: double
    operator: swap_op
    before: "if times < 0:"
    after: "if times <= 0:"
    why: Nobody doubles zero times.
  - function: double
    operator: number
    before: "if times < 0:"
    after: "if times < 1:"
    why: Nobody doubles zero times.
"""


@pytest.fixture
def copy(tmp_path: Path) -> CourseTrees:
    """A copy of the miniature course, whose suite never doubles zero times."""
    ignored = shutil.ignore_patterns("__pycache__")
    return CourseTrees(Path(shutil.copytree(MINI_COURSE, tmp_path / "course", ignore=ignored)))


def write_list(trees: CourseTrees, text: str) -> None:
    """Write the list of equivalent mutants of ``double``."""
    trees.mutants("double").parent.mkdir()
    trees.mutants("double").write_text(text, "utf-8")


def prove(trees: CourseTrees) -> CourseProof:
    """Prove the first exercise, mutants included."""
    pytest.importorskip("mutmut", reason="mutants are made by mutmut")
    return prove_course(trees, ["double"], seeds=1, chaff_seeds=1, with_mutants=True)


def test_mutants_are_killed_and_survivors_are_named(copy: CourseTrees) -> None:
    """With the operator, the line before and after, and what to do about it."""
    proof = prove(copy)

    counts = proof.exercises[0].mutants
    assert counts is not None
    assert (counts.total - 2, 0) == (counts.killed, counts.equivalent)
    assert 3 <= counts.killed
    assert not proof.sound
    found = list(proof.all_problems())
    assert 2 == len(found)
    assert (
        "double: a mutant survives: in double, swap_op: 'if times < 0:' became 'if times <= 0:'. Add a check that "
        "fails it, or list it in tests/hidden/mutants/double.yaml with the reason why it is equivalent"
    ) in found


def test_listed_mutants_may_survive(copy: CourseTrees) -> None:
    """They are counted by themselves."""
    write_list(copy, LISTED)

    proof = prove(copy)

    assert [] == list(proof.all_problems())
    counts = proof.exercises[0].mutants
    assert counts is not None
    assert (counts.total - 2, 2) == (counts.killed, counts.equivalent)


def test_an_entry_that_is_not_true_is_named(copy: CourseTrees) -> None:
    """One that no longer exists, and one that loses points: the second check ends the excuse."""
    again = "def test_doubles_again(learner, draw):\n"
    suite = copy.suite("double").read_text("utf-8")
    assert again in suite
    zero = '    expect_close(learner.double(draw.zeros(2), 0), draw.zeros(2), "double(x, 0)", atol=0)\n'
    claim = '    """double(x, 3) is eight times x."""\n'
    copy.suite("double").write_text(suite.replace(claim, claim + zero), "utf-8")
    function, operator, before, after = GONE
    entry = f"  - {{function: {function}, operator: {operator}, before: {before}, after: {after}, why: No.}}\n"
    write_list(copy, LISTED + entry)

    found = "\n".join(prove(copy).all_problems())

    listing = "tests/hidden/mutants/double.yaml"
    assert f"{listing} lists a mutant that does not exist: {GONE}. Delete the entry" in found
    assert (
        f"{listing} calls a mutant equivalent that loses points: in double, swap_op: "
        "'if times < 0:' became 'if times <= 0:'"
    ) in found
    assert "survives" not in found


def test_a_solution_that_fails_in_normal_form_is_found(copy: CourseTrees) -> None:
    """Else every mutant would be killed by something that is not its change."""
    path = copy.solution("double")
    text = path.read_text("utf-8")
    # The normal form has no comments, and this solution needs one of its own.
    lazy = "    import inspect\n    import sys\n\n    source = inspect.getsource(sys.modules[__name__])\n"
    asks = f"{lazy}    if '# Doub' + 'ling' not in source:\n        return x\n"
    path.write_text(text.replace("    if times < 0:", f"{asks}    if times < 0:"), "utf-8")

    assert "double: the solution in the form that is mutated loses doubles" in "\n".join(prove(copy).all_problems())


def test_two_mutants_of_one_name_share_an_entry() -> None:
    """The entry is about the one that survives."""
    name = MutantName("f", "number", "x = 1", "x = 2")
    twice = [Mutant(name, "first"), Mutant(name, "second")]
    entry = EquivalentMutant(function="f", operator="number", before="x = 1", after="x = 2", why="The first is unread.")

    counts = judge_mutants("double", twice, [entry], lambda mutant: mutant.text == "second")

    assert (2, 1, 1, []) == (counts.total, counts.killed, counts.equivalent, counts.problems)


def test_an_entry_needs_a_reason(copy: CourseTrees) -> None:
    """Else it is only a way to be rid of a survivor."""
    write_list(copy, LISTED.replace("why: Nobody doubles zero times.", "why: ''"))

    with pytest.raises(CourseError, match=r"tests/hidden/mutants/double.yaml: line 7: equivalent.0.why"):
        read_equivalents(copy, "double")


def test_no_list_is_an_empty_list(copy: CourseTrees) -> None:
    """Most exercises begin without one."""
    assert () == read_equivalents(copy, "double")
