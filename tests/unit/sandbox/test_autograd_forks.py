"""Whether gradients survive a fork is found out, and where they do not, everything is graded all the same."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from grader.sandbox import autograd_forks

TRIED = """
import torch
from grader.sandbox.autograd_forks import survive_forks

torch.set_num_threads(1)
print(survive_forks(), survive_forks())
"""


def test_trying_it_leaves_the_process_as_it_was() -> None:
    """So the answer is the same the second time, and it is yes or no."""
    command = [sys.executable, "-c", TRIED]

    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    assert answer in (["True", "True"], ["False", "False"])


@pytest.mark.parametrize("refused_in", [1, 2])
def test_a_refusal_in_either_fork_means_no(refused_in: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of torch 2.6, whose engine starts a thread with the first gradient: `refused_in` counts forks."""
    depth = 0

    def count(succeeds: Callable[[Callable[[], bool]], bool]) -> Any:
        def in_fork(work: Callable[[], bool]) -> bool:
            nonlocal depth
            depth += 1
            return succeeds(work)

        return in_fork

    def refuse() -> bool:
        if depth == refused_in:
            raise RuntimeError("Unable to handle autograd's threading in combination with fork-based multiprocessing")
        return True

    monkeypatch.setattr(autograd_forks, "_computes_a_gradient", refuse)
    monkeypatch.setattr(autograd_forks, "_succeeds_in_a_fork", count(autograd_forks._succeeds_in_a_fork))

    assert autograd_forks.survive_forks() is False
