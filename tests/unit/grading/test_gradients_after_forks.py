"""Where a process that has computed a gradient cannot fork another that can, everybody gets the same report."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.grading import line_process
from grader.grading.client import Runner
from grader.grading.messages import Graded, Job, RunnerSettings
from grader.model.submission import Cell, Entry, SourceFile, Submission
from tests.conftest import MINI_COURSE
from tests.unit.grading.test_verdicts_of_code import LAYER, without_times

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
            raise RuntimeError("Unable to handle autograd's threading in combination with fork-based multiprocessing")
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
DETACHED = """
def double(x, times):
    if times < 0:
        raise ValueError("negative")
    return x.detach() * 2 ** times + 0 * x
"""


def reports_of(jobs: list[Job], lanes: int) -> Iterator[object]:
    """What comes of submissions that are handed in one after another, without times."""
    with Runner(RunnerSettings(course=str(MINI_COURSE), start_method="fork", lanes=lanes)) as runner:
        for job in jobs:
            *_, last = runner.grade(job)
            assert isinstance(last, Graded)
            yield without_times(last.report)


@pytest.mark.parametrize("lanes", [1, 2])
def test_everybody_gets_the_same_report(lanes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes first, with one exercise or two; naming a mistake computes gradients in the grading process."""
    files = (
        SourceFile(path="double.py", cells=(Cell(text=DETACHED),)),
        SourceFile(path="layer.py", cells=(Cell(text=LAYER),)),
    )
    both = tuple(Entry(exercise=name, path=f"{name}.py") for name in ("double", "layer"))
    jobs = [
        Job(submission=Submission(id="s", files=files), entries=entries, seed=3)
        for entries in (both, both[:1], both, both[1:])
    ]
    expected = list(reports_of(jobs, lanes))
    strict = tmp_path / "strict.py"
    strict.write_text(STRICT, "utf-8")
    monkeypatch.setattr(line_process, "python_command", lambda: [sys.executable, str(strict)])

    assert expected == list(reports_of(jobs, lanes))
