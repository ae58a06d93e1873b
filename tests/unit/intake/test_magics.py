"""Magics become Python, line for line."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake.magics import plain_cell


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!pip install -q \\\n  einops\nx = 1", "pass\n\nx = 1"),
        ("x?\nx.y??\n?z", "pass\npass\npass"),
        ("if x:\n    !ls {x}\nelse:\n    %time y = 2", "if x:\n    pass\nelse:\n    y = 2"),
        ("files = !ls\ncwd = %pwd\nz = %time f(3)", "files = []\ncwd = None\nz = f(3)"),
        ("s = '''\n%keep\n!this\n'''\n%drop this", "s = '''\n%keep\n!this\n'''\npass"),
        ("!echo it's\ns = 'a'\n!echo (\nt = 'b'", "pass\ns = 'a'\npass\nt = 'b'"),
        ("%run heads.py\nx = 1", "from heads import *\nx = 1"),
        ("/f a\n,g b", 'f(a)\ng("b")'),
        (">>> x = 1\n>>> y = 2", "x = 1\ny = 2"),
        ("get_ipython().run_line_magic('matplotlib', 'inline')\nx = 1", "pass\nx = 1"),
        ("if x:\n    get_ipython().system('é',\n      1)\ny = 1", "if x:\n    pass\n\ny = 1"),
    ],
)
def test_a_magic_becomes_a_statement_on_its_own_line(cell: str, plain: str) -> None:
    """A traceback must name the line that the learner sees in the notebook."""
    assert plain == plain_cell(cell).text


@pytest.mark.parametrize("magic", ["%%time", "%%capture out", "\n%%time\n%%capture", "%%prun -q"])
def test_magics_around_python_keep_the_body(magic: str) -> None:
    """The learner's function is in there."""
    cell = f"{magic}\n%load_ext autoreload\ndef split_heads(x):\n    return x"

    plain = plain_cell(cell)

    blank = "\n" * magic.count("\n")
    assert f"{blank}\npass\ndef split_heads(x):\n    return x" == plain.text
    assert () == plain.left_out


@pytest.mark.parametrize("magic", ["bash", "html", "javascript", "R", "sql", "unheard_of"])
def test_magics_around_something_else_lose_the_body(magic: str) -> None:
    """What is not Python for this notebook must not be run as Python; that it was left out is said."""
    plain = plain_cell(f"%%{magic}\ndef split_heads(x): return x\n")

    assert "\n\n" == plain.text
    assert (f"%%{magic}",) == plain.left_out


def test_a_timed_body_defines_nothing() -> None:
    """``%%timeit`` runs its body in a function of its own: in the notebook, too, the names are not there after."""
    assert "\n" == plain_cell("%%timeit\ny = f(x)").text


def test_writefile_gives_the_file() -> None:
    """In a notebook a cell can write a module that the next one imports."""
    plain = plain_cell("%%writefile -a heads.py\ndef split_heads(x):\n    return x")

    assert "\n\n" == plain.text
    assert ("heads.py", "def split_heads(x):\n    return x\n", True) == plain.written


@pytest.mark.parametrize(
    "cell",
    [
        "def f(:\n    pass",
        "x = 7 %\\\n 3",
        "x = (1,\n%2,\n)",
        "from __future__ import annotations\nx = 1",
        "await f()",
        "x = 1  # why?",
        "\N{NO-BREAK SPACE}x = 1",
    ],
)
def test_cells_without_magics_stay_as_they_are(cell: str) -> None:
    """A syntax error is told by running the cell, about the learner's own text."""
    assert cell == plain_cell(cell).text


def test_what_may_be_missed_is_listed() -> None:
    """Display and timing magics are noise; a command that was not run may explain a failure."""
    plain = plain_cell("%matplotlib inline\n!wget weights.pt\n%cd work\n%timeit f()\nhelp?")

    assert ("!wget weights.pt", "%cd work") == plain.left_out


def test_a_cell_of_magics_ends_in_time_by_count() -> None:
    """The tokeniser begins again at each magic with a quote in it: past the allowance, the rest stays as it is."""
    cell = "!a'\n" * 500

    plain = plain_cell(cell, allowance=5 * len(cell))

    assert 5 * len(cell) == plain.tokenised
    assert ["pass"] * 5 + ["!a'"] * 495 == plain.text.split("\n")[:-1]


def test_huge_cells_are_not_searched_for_magics() -> None:
    """A cell of megabytes is data, and the tokeniser takes ten seconds for each."""
    cell = "!a\n" * 20_000

    plain = plain_cell(cell)

    assert (cell, 0) == (plain.text, plain.tokenised)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["%time x", "!ls '", "x?", "%%time", "%%bash", "s = '''", "'''", "(", ")", "x = !a", "  y = 1", "\\", "\f"]
        )
        | st.text(st.characters(exclude_characters="\r\0\n", exclude_categories=["Cs"]), max_size=6),
        max_size=8,
    )
)
def test_any_cell_keeps_its_number_of_lines(lines: list[str]) -> None:
    """Whatever the text, it comes back as text of as many lines."""
    cell = "\n".join(lines)

    assert cell.count("\n") == plain_cell(cell).text.count("\n")


def test_python_cells_do_not_load_ipython(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading it takes longer than reading everything else."""
    monkeypatch.setitem(sys.modules, "IPython.core.inputtransformer2", None)

    assert "x = 1" == plain_cell("x = 1").text
    assert "%cd x" == plain_cell("%cd x").text, "without IPython a magic stays as it is"
