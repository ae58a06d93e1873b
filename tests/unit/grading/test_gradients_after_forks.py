"""Where a process that has computed a gradient cannot fork another that can, everybody gets the same report."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.trees import builtin_course
from grader.grading import line_process
from grader.grading.client import Runner
from grader.grading.messages import Graded, Job, RunnerSettings
from grader.model.submission import Cell, Entry, SourceFile, Submission
from tests.unit.grading.test_verdicts_of_code import without_times

TREES = builtin_course()

STRICT = """
# As torch 2.6 on every machine, and any torch on one with a GPU.
import os
import runpy
import sys

import torch

computed = refuses = False

def guard(function):
    def guarded(*args, **kwargs):
        global computed
        if refuses:
            os._exit(70)  # torch raises, which might be taken for a learner's mistake
        computed = True
        return function(*args, **kwargs)
    return guarded

def forked():
    global refuses
    refuses = refuses or computed

torch.autograd.grad = guard(torch.autograd.grad)
torch.autograd.backward = guard(torch.autograd.backward)
os.register_at_fork(after_in_child=forked)
sys.argv = sys.argv[2:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
CUT = {"heads": "gradient_cut_by_detach", "masking": "gradient_cut"}
"""Mistakes that only gradients show, so that naming one computes gradients in the grading process."""


def reports_of(jobs: list[Job], lanes: int) -> Iterator[object]:
    """What comes of submissions that are handed in one after another, without times."""
    settings = RunnerSettings(course=str(TREES.root), only=tuple(CUT), start_method="fork", lanes=lanes)
    with Runner(settings) as runner:
        for job in jobs:
            *_, last = runner.grade(job)
            assert isinstance(last, Graded)
            yield without_times(last.report)


@pytest.mark.parametrize("lanes", [1, 2])
def test_everybody_gets_the_same_report(lanes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes first, with one exercise or two, in a process that stays."""
    texts = {name: TREES.chaff(name, chaff).read_text("utf-8") for name, chaff in CUT.items()}
    files = tuple(SourceFile(path=f"{name}.py", cells=(Cell(text=text),)) for name, text in texts.items())
    both = tuple(Entry(exercise=name, path=f"{name}.py") for name in CUT)
    jobs = [
        Job(submission=Submission(id="s", files=files), entries=entries, seed=3) for entries in (both[:1], both, both)
    ]
    expected = list(reports_of(jobs, lanes))
    assert 3 * 1 + 2 * 2 == repr(expected).count("'misconception'")  # one failed check in heads, two in masking
    strict = tmp_path / "strict.py"
    strict.write_text(STRICT, "utf-8")
    monkeypatch.setattr(line_process, "python_command", lambda: [sys.executable, str(strict)])

    assert expected == list(reports_of(jobs, lanes))
