"""An answer that a check stumbles over is the answer's fault, and a check that stumbles over any is its own."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.grading.client import Runner
from grader.grading.messages import Graded, Job, RunnerSettings
from grader.model.report import ScoreReport
from grader.model.submission import Cell, Entry, SourceFile, Submission
from grader.model.verdict import Verdict
from tests.conftest import MINI_COURSE

REPOSITORY = Path(__file__).parents[3]
RIGHT = "def double(x, times):\n    if times < 0:\n        raise ValueError\n    return x * 2 ** times\n"
ODD = "def double(x, times):\n    return {'no': 'tensor'}\n"


def grade(folder: Path, suite: str, code: str) -> ScoreReport:
    """Grade code with the first check of the miniature course replaced."""
    course = folder / "course"
    shutil.copytree(MINI_COURSE, course, ignore=shutil.ignore_patterns("__pycache__"))
    path = course / "tests" / "hidden" / "test_double.py"
    text = path.read_text("utf-8")
    line = '    expect_close(got, x * 2, "double(x, 1)", ("batch", "length"), atol=1e-6)\n'
    assert line in text
    path.write_text(text.replace(line, f"    {suite}\n"), "utf-8")
    files = (SourceFile(path="double.py", cells=(Cell(text=code),)),)
    job = Job(submission=Submission(id="s", files=files), entries=(Entry(exercise="double", path="double.py"),), seed=1)
    with Runner(RunnerSettings(course=str(course))) as runner:
        *_, last = runner.grade(job)
    assert isinstance(last, Graded)
    return last.report


@pytest.mark.parametrize("suite", ["expect_close(got.sum(0), x.sum(0) * 2, 'the sum')", "got[0, 0] + 1"])
def test_a_check_that_stumbles_over_one_answer_has_crashed_with_a_flag(tmp_path: Path, suite: str) -> None:
    """It earns nothing, a person is told, and the report is a grade."""
    report = grade(tmp_path, suite, ODD)
    first = report.exercises[0].checks[0]

    assert (Verdict.CRASHED, True) == (first.verdict, report.complete)
    assert "could not deal with an answer of your code" in first.rationale
    assert ["unusual_answer"] == [flag.id for flag in report.flags]


def test_a_check_that_stumbles_over_the_solution_too_is_errored(tmp_path: Path) -> None:
    """Then nobody who is graded is to blame, and the report is no grade."""
    report = grade(tmp_path, "got.no_such_thing", RIGHT)
    first = report.exercises[0].checks[0]

    assert (Verdict.ERRORED, False) == (first.verdict, report.complete)
    assert "AttributeError" in first.rationale
    assert () == report.flags


@pytest.mark.parametrize("course", [["--course", str(MINI_COURSE)], []], ids=["mini", "built-in"])
def test_whatever_a_worker_answers_is_that_check_s_verdict(course: list[str]) -> None:
    """Never the suite's fault, nor the end of the run: forged answers of every kind that crosses the wire."""
    gradings = "150" if course else "10"
    command = [sys.executable, "benchmarks/fuzz_replies.py", "--gradings", gradings, *course]

    result = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, check=False)

    assert 0 == result.returncode, result.stdout + result.stderr
    assert "crashed" in result.stdout
