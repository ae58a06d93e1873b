"""Reading notebooks that were handed in, to show them."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader.notebook.submitted import read_submitted


def written(path: Path, **changed: Any) -> Path:
    """A notebook with a cell of each kind."""
    code = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "execution_count": 3,
        "outputs": [],
        "source": ["x\0 = ", "1"],
    }
    text = {"cell_type": "markdown", "id": "b", "metadata": {}, "source": "Words"}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [code, text], **changed}
    path.write_text(json.dumps(notebook), "utf-8")
    return path


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"kernelspec": {"name": "python3"}},
        {"widgets": {"application/x": {"state": None}}},
        {"title": 7},
        "text",
        None,
    ],
)
def test_what_an_editor_says_of_a_notebook_does_not_matter(metadata: Any, tmp_path: Path) -> None:
    """A kernel without a name to show makes a notebook invalid, and half of a widget's state makes it unshowable."""
    notebook = read_submitted(written(tmp_path / "work.ipynb", metadata=metadata))

    assert "python" == notebook.metadata.language_info.name
    assert {"kernelspec", "language_info"} == set(notebook.metadata)


def test_cells_are_texts_without_outputs(tmp_path: Path) -> None:
    """An output may be anything, and is not the work."""
    error = {"output_type": "nonsense", "text": 7}
    code = {"cell_type": "code", "id": "a", "metadata": None, "outputs": [error], "source": ["x\0 = ", "1"]}

    (cell,) = read_submitted(written(tmp_path / "work.ipynb", cells=[code])).cells

    assert ("x\ufffd = 1", [], None) == (cell.source, cell.outputs, cell.execution_count)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "it is no whole notebook"),
        ("[]", "its cells are not as a notebook's should be"),
        ('{"cells": [7]}', "its cells are not as a notebook's should be"),
        ("[" * 100_000, "it is no whole notebook"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(text: str, reason: str, tmp_path: Path) -> None:
    """The teacher sees the reason in its place."""
    path = tmp_path / "work.ipynb"
    path.write_text(text, "utf-8")

    with pytest.raises(ValueError, match=reason) as caught:
        read_submitted(path)
    assert 1 == len(str(caught.value).splitlines())


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """It may lead to anybody's files."""
    (tmp_path / "mine").mkdir()
    written(tmp_path / "work.ipynb")
    (tmp_path / "mine" / "work.ipynb").symlink_to(tmp_path / "work.ipynb")
    (tmp_path / "theirs").symlink_to(tmp_path / "mine")

    for path in (tmp_path / "mine" / "work.ipynb", tmp_path / "theirs" / "work.ipynb"):
        with pytest.raises(ValueError, match="link"):
            read_submitted(path)
