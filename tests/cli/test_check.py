"""grade check: typed as a learner types it, in a process of its own."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from grader.model.report import ScoreReport
from tests.conftest import MINI_COURSE

RIGHT = "def double(x, times):\n    if times < 0:\n        raise ValueError\n    return x * 2 ** times\n"
LAYER = (MINI_COURSE / "solutions/layer.py").read_text("utf-8")
GRADE = [sys.executable, "-c", "from grader.cli.main import main; main()"]


def check(*arguments: object, cwd: Path | None = None, course: bool = True) -> subprocess.CompletedProcess[str]:
    """Type ``grade check …``."""
    command = [*GRADE, "check", *map(str, arguments), *(["--course", str(MINI_COURSE)] if course else [])]
    env = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=cwd, check=False, env=env)


def report_of(result: subprocess.CompletedProcess[str]) -> ScoreReport:
    """The report that a run printed as JSON."""
    assert result.stdout, result.stderr
    return ScoreReport.model_validate_json(result.stdout)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A finished workspace, in a folder whose name has blanks and letters from elsewhere."""
    folder = tmp_path / "mein Ordner ひ"
    folder.mkdir()
    (folder / "double.py").write_text(RIGHT)
    (folder / "layer.py").write_text(LAYER)
    return folder


def test_full_marks_are_exit_code_0(workspace: Path) -> None:
    """In the current folder, which is the default."""
    result = check(cwd=workspace)

    assert 0 == result.returncode, result.stderr
    assert "7 of 7 points" in result.stdout
    assert result.stdout.startswith("All right")


def test_below_full_marks_is_exit_code_1_and_the_first_line_says_what_to_fix(workspace: Path) -> None:
    """Before everything else."""
    (workspace / "double.py").write_text("def double(x, times):\n    return x * 3 ** times\n")

    result = check(workspace)

    assert 1 == result.returncode
    assert "You multiply by three" in result.stdout.splitlines()[0]
    assert "Traceback" not in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "nowhere"),
        ([str(MINI_COURSE)], "is a course, not somebody's work"),
        (["--only", "duoble"], "Did you mean 'double'?"),
        (["--format", "pdf"], "pdf"),
        (["--seed", "-1"], "-1"),
        (["--watch", "--format", "json"], "--watch"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_one_clear_line(workspace: Path, arguments: list[str], sentence: str) -> None:
    """Nothing was graded."""
    result = check(*arguments, cwd=workspace)

    assert 2 == result.returncode
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert "" == result.stdout


def test_a_fault_of_the_course_is_exit_code_3(workspace: Path, tmp_path: Path) -> None:
    """Never a low grade."""
    course = tmp_path / "course"
    subprocess.run(["cp", "-r", str(MINI_COURSE), str(course)], check=True)
    (course / "tests/hidden/test_layer.py").write_text(
        "import nothing_like_this\n" + (course / "tests/hidden/test_layer.py").read_text()
    )

    result = check(workspace, "--course", course, course=False)

    assert 3 == result.returncode
    assert result.stderr.startswith("The grader failed")


def test_json_is_all_that_standard_output_gets(workspace: Path) -> None:
    """Whatever the learner's code prints, and on whatever stream."""
    noise = "import sys, os\nprint('{')\nsys.stderr.write('!')\nos.write(1, b'raw')\n"
    (workspace / "double.py").write_text(noise + RIGHT)

    report = report_of(check(workspace, "--format", "json", "--seed", "5"))

    assert (5, 7) == (report.seed, report.score)
    assert "raw" in report.exercises[0].output


def test_every_format_can_be_written_to_a_file(workspace: Path, tmp_path: Path) -> None:
    """Each of its kind."""
    out = {name: tmp_path / f"report.{name}" for name in ("text", "json", "html", "markdown", "junit")}

    for name, path in out.items():
        result = check(workspace, "--format", name, "--output", path)
        assert (0, "") == (result.returncode, result.stdout)

    assert 7 == json.loads(out["json"].read_text("utf-8"))["score"]
    assert out["html"].read_text("utf-8").startswith("<!DOCTYPE html>") or "<html" in out["html"].read_text("utf-8")
    assert 2 == len(ElementTree.parse(out["junit"]).getroot().findall("testsuite"))
    assert "7 of 7" in out["text"].read_text("utf-8")
    assert "7 of 7" in out["markdown"].read_text("utf-8")


def test_a_file_that_cannot_be_written_is_one_line(workspace: Path) -> None:
    """Wrong usage."""
    result = check(workspace, "--format", "json", "--output", workspace / "no" / "such" / "folder.json")

    assert "Traceback" not in result.stderr
    assert 2 == result.returncode
    assert "no/such is no folder" in "".join(result.stderr.split("\n"))


def test_the_ending_of_a_file_decides_its_format(workspace: Path, tmp_path: Path) -> None:
    """Text in a page is no page; who names a format gets it."""
    begins = {"report.html": "<!", "report.json": "{", "report.xml": "<?xml", "report.md": "#"}

    for name, start in begins.items():
        assert 0 == check(workspace, "--output", tmp_path / name).returncode
        assert (tmp_path / name).read_text("utf-8").lower().startswith(start)
    assert 0 == check(workspace, "--format", "text", "--output", tmp_path / "report.html").returncode
    assert not (tmp_path / "report.html").read_text("utf-8").startswith("<")


def test_one_file_is_graded_for_its_exercise_alone(workspace: Path) -> None:
    """Nobody asked about the others."""
    report = report_of(check(workspace / "double.py", "--format", "json"))

    assert ["double"] == [exercise.id for exercise in report.exercises]
    assert ("Only a part of the course was graded.",) == report.notes


def test_only_grades_what_is_asked_for(workspace: Path) -> None:
    """In teaching order."""
    report = report_of(check(workspace, "--only", "layer", "--only", "double", "--format", "json"))

    assert ["double", "layer"] == [exercise.id for exercise in report.exercises]


def test_a_notebook_that_defines_the_names_is_graded(tmp_path: Path) -> None:
    """A cell that fails does not stop the later ones, and magics are harmless."""
    cells = [
        "%matplotlib inline\nimport torch\n!pip list",
        "1 / 0",
        RIGHT,
        LAYER.replace("from double import double", ""),
    ]
    notebook = {
        "cells": [
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": cell}
            for cell in cells
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    path = tmp_path / "attention.ipynb"
    path.write_text(json.dumps(notebook))

    report = report_of(check(path, "--format", "json"))

    assert 7 == report.score
    assert any("cell 2 failed" in note for note in report.exercises[0].notes)


def test_a_zip_is_graded(workspace: Path, tmp_path: Path) -> None:
    """With a folder around the files."""
    path = tmp_path / "handed in.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in workspace.glob("*.py"):
            archive.write(file, f"attention/{file.name}")

    assert 7 == report_of(check(path, "--format", "json")).score


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp932"])
def test_files_in_other_encodings_are_read(workspace: Path, encoding: str) -> None:
    """And with Windows line ends."""
    text = f"# 二倍にする\n{RIGHT}".replace("\n", "\r\n")
    (workspace / "double.py").write_bytes(text.encode(encoding))

    assert 7 == report_of(check(workspace, "--format", "json")).score


def test_a_file_that_is_no_text_is_a_report_that_says_so(workspace: Path) -> None:
    """Missing, with the reason, and exit code 1."""
    (workspace / "double.py").write_bytes(b"def double\0")

    result = check(workspace, "--format", "json")

    assert 1 == result.returncode
    assert "double.py" in " ".join(report_of(result).notes)


def test_a_name_that_is_nearly_right_is_asked_about(workspace: Path) -> None:
    """In the first line, with the name that was probably meant."""
    (workspace / "double.py").write_text(RIGHT.replace("def double", "def doubel"))

    assert "did you mean doubel" in " ".join(check(workspace).stdout.split("Points")[0].split())


def test_progress_is_remembered(workspace: Path) -> None:
    """For grade list and grade solution."""
    check(workspace)

    progress = json.loads((workspace / ".attention-dojo" / "progress.json").read_text("utf-8"))

    assert 4 == progress["exercises"]["double"]["best"]


def test_a_submission_cannot_reach_the_trusted_pytest(workspace: Path) -> None:
    """Its conftest, configuration and modules are never loaded there."""
    evil = "raise SystemExit('evil')\n"
    for name in ("conftest.py", "sitecustomize.py", "pytest.py", "evil.py"):
        (workspace / name).write_text(evil)
    (workspace / "pytest.ini").write_text("[pytest]\naddopts = -p evil\n")
    env = {**os.environ, "PYTEST_ADDOPTS": "-p evil", "PYTHONPATH": str(workspace)}

    command = [
        sys.executable,
        "-I",
        "-c",
        "from grader.cli.main import main; main()",
        "check",
        "--format",
        "json",
        "--course",
        str(MINI_COURSE),
    ]
    result = subprocess.run(command, capture_output=True, text=True, cwd=workspace, check=False, env=env)

    assert 7 == report_of(result).score


def test_watch_grades_again_what_a_save_touches(workspace: Path) -> None:
    """With a warm worker, and nothing else."""
    command = [*GRADE, "check", "--watch", "--course", str(MINI_COURSE)]
    process = subprocess.Popen(
        command, cwd=workspace, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
    )
    try:
        seen = _read_until(process, "Watching for changes")
        assert "7 of 7" in seen
        (workspace / "layer.py").write_text(LAYER.replace("+ self.shift", ""))
        seen = _read_until(process, "Total:")
        assert "0 of 3" in seen
        assert "double" not in seen.split("Points")[0]
    finally:
        process.terminate()
        process.communicate()


def _read_until(process: subprocess.Popen[str], text: str) -> str:
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if text in line:
            return "".join(lines)
    raise AssertionError("".join(lines))


def test_a_sample_of_a_traceback_is_never_shown(workspace: Path) -> None:
    """A syntax error is told in words with the line."""
    (workspace / "double.py").write_text(textwrap.dedent("def double(x, times):\n    return (x *\n"))

    result = check(workspace)

    assert "double.py" in result.stdout
    assert "Traceback" not in result.stdout + result.stderr


def test_exit_code_0_does_not_need_the_bonus(workspace: Path, tmp_path: Path) -> None:
    """A course with a bonus, and everything right but that; the list of exercises shows what it adds."""
    course = Path(shutil.copytree(MINI_COURSE, tmp_path / "course"))
    rubric = course / "rubrics/double.yaml"
    text = rubric.read_text().replace("points: 4\n", "points: 3\n", 1)
    rubric.write_text(
        text.replace("points: 1\n    hint: Look at negative", "points: 1\n    bonus: true\n    hint: Look at")
    )
    (workspace / "double.py").write_text("def double(x, times):\n    return x * 2 ** times\n")

    result = check(workspace, "--course", course, course=False)
    listed = subprocess.run(
        [*GRADE, "list", "--course", str(course)], capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout

    assert 0 == result.returncode, result.stdout + result.stderr
    assert result.stdout.startswith("All right: 6 of 6 points, bonus 0 of 1. For the bonus, in double:")
    assert "3 +1" in listed
