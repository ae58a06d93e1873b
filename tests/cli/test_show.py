"""grade show: pictures of what somebody's own code does."""

import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli.main import grade
from grader.model.errors import RunnerError
from tests.conftest import MINI_COURSE

COURSE = ["--course", str(MINI_COURSE)]
PNG = b"\x89PNG\r\n\x1a\n"
BOTH = ["double-growth", "double-table"]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the solution, which is the current one."""
    folder = tmp_path / "arbeit é"
    folder.mkdir()
    shutil.copy(MINI_COURSE / "solutions/double.py", folder)
    monkeypatch.chdir(folder)
    return folder


def show(*arguments: str) -> Result:
    """Type the command."""
    return CliRunner().invoke(grade, ["show", *arguments, *COURSE])


def test_pictures_are_drawn_here_if_nothing_else_is_asked_for(workspace: Path) -> None:
    """With titles, what to look for, curves that are named, and tables whose cells are shaded; no file appears."""
    result = show("double")

    assert 0 == result.exit_code, result.output
    for expected in (
        "How your numbers grow",
        "One line: each step doubles.",
        "o your code",
        "times",
        "Twice",
        "a ",
        "█",
    ):
        assert expected in result.output
    assert "\x1b" not in result.output
    assert ["double.py"] == [path.name for path in workspace.iterdir()]


def test_a_folder_gets_a_file_for_each_picture(workspace: Path) -> None:
    """Named after exercise and picture; the folder is made if need be."""
    result = show("double", "--output", "some/pictures")

    files = sorted((workspace / "some/pictures").iterdir())
    assert 0 == result.exit_code, result.output
    assert [f"{name}.png" for name in BOTH] == [file.name for file in files]
    assert all(file.read_bytes().startswith(PNG) for file in files)
    assert f"Wrote {Path('some/pictures/double-growth.png')}: How your numbers grow." in result.output


def test_a_format_alone_writes_to_the_current_folder(workspace: Path) -> None:
    """SVG files are well-formed, hold their texts as texts and ask for nothing."""
    assert 0 == show("double", "--format", "svg").exit_code

    for name in BOTH:
        text = (workspace / f"{name}.svg").read_text("utf-8")
        root = ET.fromstring(text)
        assert root.tag.endswith("svg")
        assert "#010101" not in text
        assert not [value for node in root.iter() for key, value in node.items() if value.startswith("http")]
    assert "your code" in (workspace / "double-growth.svg").read_text("utf-8")


def test_one_picture_goes_into_one_file(workspace: Path) -> None:
    """Its name says which format. Inputs are fixed and no date is written, so it is always the same file."""
    for name in ("a.png", "a.svg", "b.svg"):
        result = show("double", "--picture", "table", "--output", name)
        assert 0 == result.exit_code, result.output

    assert (workspace / "a.png").read_bytes().startswith(PNG)
    assert (workspace / "a.svg").read_bytes().startswith(b"<?xml")
    assert (workspace / "a.svg").read_bytes() == (workspace / "b.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["dubble"], "Did you mean 'double'?"),
        (["layer"], "There are no pictures for layer."),
        (["double", "--picture", "grwth"], "'grwth' is no picture of this exercise. Did you mean 'growth'?"),
        (["double", "--output", "all.png"], "One file holds one picture. Name a folder, or one of these"),
        (["double", "--output", "a.png", "--format", "svg", "--picture", "table"], "--format svg does not fit a.png"),
        (["double", "--output", "x", "--format", "terminal"], "leave --output away"),
        (["double", "--output", "double.py/x"], "double.py"),
        (["double", "nowhere"], "nowhere"),
    ],
)
def test_wrong_usage_is_told_in_a_line(workspace: Path, arguments: list[str], expected: str) -> None:
    """Exit code 2, what was expected, and no file."""
    result = show(*arguments)

    assert 2 == result.exit_code
    assert expected in result.output
    assert ["double.py"] == [path.name for path in workspace.iterdir()]


def test_code_that_is_not_done_gets_a_line_a_picture(workspace: Path) -> None:
    """Why it is not drawn, in words, and exit code 1."""
    shutil.copy(MINI_COURSE / "exercises/double.py", workspace)

    result = show("double", "--output", "out")

    assert 1 == result.exit_code
    assert [
        "double, growth: not drawn. `double` is still to be written.",
        "double, table: not drawn. `double` is still to be written.",
    ] == result.output.splitlines()
    assert not list((workspace / "out").iterdir())


def test_a_picture_that_cannot_be_written_is_told(workspace: Path) -> None:
    """In a line, with the reason."""
    (workspace / "out/double-growth.png").mkdir(parents=True)

    result = show("double", "--output", "out")

    assert 0 != result.exit_code
    assert "The picture was not written." in result.output


def test_a_report_as_html_holds_the_pictures(workspace: Path) -> None:
    """In the page's colours, beside the exercise; what could not be drawn is named, and nothing is loaded."""
    (workspace / "double.py").write_text(
        "def double(x, times):\n    if x.dim() == 1:\n        raise KeyError\n    return x * 2**times\n"
    )

    CliRunner().invoke(grade, ["check", "--only", "double", "--format", "html", "--output", "r.html", *COURSE])

    page = (workspace / "r.html").read_text("utf-8")
    assert 1 == page.count("<svg ")
    assert 'aria-label="A table, doubled"' in page
    assert "var(--quiet)" in page
    assert "Not drawn. Your code raised KeyError at double.py, line 3." in page
    assert "img-src data:" in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/1999/xlink", "")


def test_a_report_is_written_without_pictures_where_none_can_be_made(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The points are there already; a line says what is missing."""

    def fail(*_: object) -> None:
        raise RunnerError("the process is gone")

    monkeypatch.setattr("grader.grading.local.LocalGrader.show", fail)

    result = CliRunner().invoke(grade, ["check", "--only", "double", "--format", "html", "--output", "r.html", *COURSE])

    assert 0 == result.exit_code, result.output
    assert "The report has no pictures: the process is gone" in result.output
    assert "full marks" in (workspace / "r.html").read_text("utf-8")


def test_other_reports_are_made_without_drawing(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They could not show a picture, and take no longer for it."""

    def refuse(*_: object) -> None:
        raise AssertionError("drawn")

    monkeypatch.setattr("grader.grading.local.LocalGrader.show", refuse)

    result = CliRunner().invoke(grade, ["check", "--only", "double", "--format", "markdown", *COURSE])

    assert 0 == result.exit_code, result.output
