"""Notebooks of every kind and age are read, or refused with the reason."""

import json

import pytest
from handed_in import notebook
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake import notebooks
from grader.intake.notebooks import read_notebook
from grader.intake.refusal import Refused


def test_code_cells_are_numbered_from_the_top() -> None:
    """Execution counts repeat and go missing; the place of a cell does not. Text cells are not counted."""
    content = json.loads(notebook("a = 1", "", "b = 2"))
    content["cells"].insert(1, {"cell_type": "markdown", "metadata": {}, "source": "# title"})

    read = read_notebook(json.dumps(content).encode())

    assert [("cell 1", "a = 1"), ("cell 3", "b = 2")] == [(cell.label, cell.text) for cell in read.cells]


def test_sources_may_be_lists_of_lines() -> None:
    """That is how Jupyter saves them; others save one string."""
    content = json.loads(notebook(""))
    content["cells"][0]["source"] = ["a = 1\r\n", "b = 2"]

    assert "a = 1\nb = 2" == read_notebook(json.dumps(content).encode()).cells[0].text


@pytest.mark.parametrize("minor", [0, 4, 5, 99])
def test_duplicate_and_missing_cell_ids_do_no_harm(minor: int) -> None:
    """Copying a cell doubles its id, and old notebooks have none: neither says anything about the code."""
    content = json.loads(notebook("a = 1", "b = 2", "c = 3"))
    content["nbformat_minor"] = minor
    del content["cells"][2]["id"]

    read = read_notebook(json.dumps(content).encode())

    assert ["a = 1", "b = 2", "c = 3"] == [cell.text for cell in read.cells]
    assert () == read.remarks


def test_format_3_is_upgraded() -> None:
    """Old course material still goes round."""
    cell = {
        "cell_type": "code",
        "input": ["a = 1\n", "%time b = 2"],
        "language": "python",
        "outputs": [],
        "metadata": {},
    }
    content = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": "x"}, "worksheets": [{"cells": [cell]}]}

    read = read_notebook(json.dumps(content).encode())

    assert [("cell 1", "a = 1\nb = 2")] == [(cell.label, cell.text) for cell in read.cells]


@pytest.mark.parametrize(
    ("metadata", "remark"),
    [
        ({"kernelspec": {"name": "ir", "language": "R"}}, "its kernel is for R, not Python"),
        ({"language_info": {"name": "julia"}}, "its kernel is for julia, not Python"),
        ({"kernelspec": {"name": "conda-env-ml-py", "language": "python"}}, None),
        ({"language_info": {"name": "ipython"}}, None),
        ({}, None),
    ],
)
def test_a_kernel_that_is_not_for_python_is_said(metadata: dict[str, object], remark: str | None) -> None:
    """An unknown name of a Python kernel is nobody's business; another language explains every failure."""
    read = read_notebook(notebook("x = 1", **metadata).encode())

    assert ([remark] if remark else []) == [text.partition(";")[0] for text in read.remarks]


def test_a_notebook_without_code_says_so() -> None:
    """Often the wrong file, or one that was never saved."""
    assert "it has no code cells" in read_notebook(notebook(" \n").encode()).remarks[0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "found an empty file"),
        (notebook("x = 1")[:-30], "the file ends in the middle"),
        ("{\n<<<<<<< HEAD\n}", "not valid at line 2"),
        ("[1, 2]", "found other JSON"),
        ('{"nbformat": 4}', "found other JSON"),
        ('{"nbformat": 9, "cells": []}', "found format 9"),
        ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": 3}', "its cells are not as that format says"),
        ("[" * 100_000, "nested too deep"),
        ('{"cells": ' + "1" * 5000 + "}", "not valid at a number"),
    ],
)
def test_what_is_no_notebook_is_refused_with_the_reason(content: str, reason: str) -> None:
    """The learner must know whether to save again, to merge, or to hand in another file."""
    with pytest.raises(Refused, match=reason):
        read_notebook(content.encode())


def test_outputs_are_read_past() -> None:
    """A notebook of plots is ten times as large as its code, and only the code counts against the limit."""
    content = json.loads(notebook("x = 1"))
    content["cells"][0]["outputs"] = [{"data": {"image/png": "A" * 2_000_000}, "output_type": "display_data"}]

    assert "x = 1" == read_notebook(json.dumps(content).encode()).cells[0].text


def test_code_in_cells_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a module, and in the number of cells."""
    with pytest.raises(Refused, match=r"holds more than the 1\.0 MiB that are read; move data out of its cells"):
        read_notebook(notebook("x" * 600_000, "y" * 600_000).encode())
    monkeypatch.setattr(notebooks, "MAX_CODE_CELLS", 2)
    with pytest.raises(Refused, match="more than the 2 code cells"):
        read_notebook(notebook("a", "b", "c").encode())


def test_lone_surrogates_and_nul_are_replaced() -> None:
    """JSON can hold them, and no report could."""
    content = notebook("a SURROGATE").replace(" SURROGATE", r"\ud800\u0000")

    read = read_notebook(content.encode())

    assert "a\ufffd\ufffd" == read.cells[0].text


def test_commands_that_were_not_run_are_listed_with_their_cell() -> None:
    """They may explain what fails; three examples are enough."""
    read = read_notebook(notebook("!pip install x", "%matplotlib inline", "!a", "%%bash\nb", "!c").encode())

    assert ("graded without running !pip install x (cell 1), !a (cell 3), %%bash (cell 4) and 1 more",) == read.remarks


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(
    st.fixed_dictionaries(
        {"nbformat": st.sampled_from([1, 2, 3, 4]) | JSON},
        optional={
            "nbformat_minor": JSON,
            "metadata": JSON,
            "worksheets": JSON | st.lists(st.fixed_dictionaries({"cells": JSON}), max_size=2),
            "cells": JSON
            | st.lists(
                st.fixed_dictionaries({"cell_type": st.just("code") | JSON}, optional={"source": JSON, "input": JSON}),
                max_size=3,
            ),
        },
    )
)
def test_any_json_gives_cells_or_a_refusal(content: dict[str, object]) -> None:
    """Notebooks are written by many tools, and broken by more."""
    try:
        cells = read_notebook(json.dumps(content).encode()).cells
    except Refused as refused:
        cells, reason = (), str(refused)
    else:
        reason = ""

    assert "\n" not in reason
    assert all(cell.text.strip() for cell in cells)
