"""
Grade thousands of honest and hostile submissions with one runner, and see whether it grows.

Run: ``python benchmarks/soak.py [--gradings 2000]``. Every fourth submission is hostile, each attack in turn.
Descriptors, processes, temporary files and memory are counted after a warm-up of one round of everything, then after
the rest. Ends with status 1 if descriptors, processes or files have grown, or if memory has by more than ``--most-mb``.
"""

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.attacks.arena import HONEST, Arena
from tests.attacks.corpus import ATTACKS, RIGHT, Attack

_HONEST_LAYER = """
import torch
from torch import nn
from double import double

class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        return double(x, 1) + self.shift
"""
EXERCISES = ("double", "layer")
NEIGHBOURS = (
    HONEST,
    Attack("wrong", 1, {"double.py": "def double(x, times):\n    return x * 3 ** times\n"}),
    Attack("not begun", 1, {"double.py": "def double(x, times):\n    raise NotImplementedError\n"}),
    Attack("both exercises", 1, {"double.py": RIGHT, "layer.py": _HONEST_LAYER}),
)


@dataclass(frozen=True)
class Figures:
    """What the grader holds at one moment."""

    descriptors: int
    """Open in the runner and the process that forks workers."""
    processes: int
    files: int
    """In the folder for temporary files, of this grader and of any other that runs at the same time."""
    runner_mb: float
    zygote_mb: float
    """Memory in use, without what is shared with the runner since it was forked."""


def look(arena: Arena) -> Figures:
    """Count."""
    runner, zygote = arena.grader, arena.zygote
    return Figures(
        descriptors=runner.num_fds() + zygote.num_fds(),
        processes=1 + len(runner.children(recursive=True)),
        files=sum(1 for _ in Path(tempfile.gettempdir()).glob("attention-dojo-*")),
        runner_mb=runner.memory_full_info().uss / 2**20,
        zygote_mb=zygote.memory_full_info().uss / 2**20,
    )


def main() -> None:
    """Warm up, count, grade, count again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gradings", type=int, default=2000)
    parser.add_argument("--most-mb", type=float, default=8.0)
    arguments = parser.parse_args()
    # Those that only wait would take most of the time, and leave nothing that the others do not.
    hostile = [attack for attack in ATTACKS if attack.verdict != "timed_out"]
    submissions = [
        hostile[number // 4 % len(hostile)] if number % 4 == 3 else NEIGHBOURS[number // 4 % len(NEIGHBOURS)]
        for number in range(arguments.gradings)
    ]
    with Arena(call_s=1.0, lanes=2) as arena:
        for submission in (*NEIGHBOURS, *hostile):
            arena.grade(submission, EXERCISES)
        before, started = look(arena), time.monotonic()
        for submission in submissions:
            report = arena.grade(submission, EXERCISES)
            assert report.complete, submission.name
            assert report.exercises[0].score <= submission.most or submission in NEIGHBOURS, submission.name
        seconds, after = time.monotonic() - started, look(arena)
    print(f"{len(submissions)} gradings, {len(submissions) // 4} of them hostile, in {seconds:.0f} s")
    print(f"{'':<34}before    after")
    for name, unit in (
        ("descriptors", ""),
        ("processes", ""),
        ("files", ""),
        ("runner_mb", " MB"),
        ("zygote_mb", " MB"),
    ):
        print(f"{name.removesuffix('_mb') + unit:<34}{getattr(before, name):>6.4g}{getattr(after, name):>9.4g}")
    counted = [name for name in ("descriptors", "processes", "files") if getattr(after, name) > getattr(before, name)]
    grown_mb = max(after.runner_mb - before.runner_mb, after.zygote_mb - before.zygote_mb)
    if counted or grown_mb > arguments.most_mb:
        raise SystemExit(f"grown: {', '.join(counted) or 'memory'}")


if __name__ == "__main__":
    main()
