"""Look for verdicts that depend on chance: ``python benchmarks/flakiness.py [SEEDS]``.

Right code (solutions and wheats) must get full marks on every seed; wrong code (chaffs and twins) must lose exactly
what it names, and be named, on every seed. Prints how often that was tried, and each case that went wrong
with its seed.
"""

import argparse
import math
import os
import pathlib
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from grader.authoring.prove import ExerciseProof, ExerciseProver, Tally
from grader.course.load import load_course
from grader.course.trees import builtin_course
from grader.grading.client import Runner
from grader.grading.messages import RunnerSettings
from grader.model.course import Exercise

TREES = builtin_course()


@dataclass
class Found:
    """What came of one exercise, over all seeds so far."""

    right: Tally = field(default_factory=Tally)
    wrong: Tally = field(default_factory=Tally)
    cases: set[str] = field(default_factory=set)
    torch: str = ""
    seeds: int = 0

    def add(self, proof: ExerciseProof) -> None:
        """Add the proof of one seed."""
        self.seeds += 1
        self.right = Tally.sum((self.right, proof.right_code))
        self.wrong = Tally.sum((self.wrong, proof.wrong_code))
        self.cases.update(proof.problems)
        self.torch = proof.environment.torch if proof.environment else self.torch


def try_seed(runner: Runner, exercise: Exercise, seed: int) -> ExerciseProof:
    """Grade all the known right and wrong code of an exercise on one seed."""
    prover = ExerciseProver(runner=runner, trees=TREES, exercise=exercise, seeds=1, chaff_seeds=1, first_seed=seed)
    prover.prove_right_code()
    return prover.prove_wrong_code()


def try_all(
    exercises: Sequence[Exercise], seeds: range, jobs: int, minutes: float, tell: Callable[[str], None]
) -> dict[str, Found]:
    """Try every exercise on every seed, with as many runners as jobs; none begins a seed when the minutes are over."""
    deadline = time.monotonic() + 60 * minutes
    found = {exercise.id: Found() for exercise in exercises}
    tasks: Iterator[tuple[int, Exercise]] = ((seed, exercise) for seed in seeds for exercise in exercises)
    lock = threading.Lock()

    def work() -> None:
        with Runner(RunnerSettings(course=str(TREES.root), only=tuple(found))) as runner:
            while True:
                with lock:
                    task = next(tasks, None)
                if task is None or time.monotonic() > deadline:
                    return
                seed, exercise = task
                proof = try_seed(runner, exercise, seed)
                with lock:
                    found[exercise.id].add(proof)
                    tell(f"seed {seed}, {exercise.id}: {proof.gradings} gradings, {len(proof.problems)} cases")

    with ThreadPoolExecutor(jobs) as pool:
        for running in [pool.submit(work) for _ in range(jobs)]:
            running.result()
    return found


def report(found: dict[str, Found], seeds: range) -> Iterator[str]:
    """Yield the lines of a Markdown page."""
    torch = next((item.torch for item in found.values()), "")
    cases = sorted(f"{exercise}: {case}" for exercise, item in found.items() for case in item.cases)
    total = Found(
        right=Tally.sum(item.right for item in found.values()),
        wrong=Tally.sum(item.wrong for item in found.values()),
        seeds=sum(item.seeds for item in found.values()),
    )
    yield "# Do verdicts depend on chance?"
    yield ""
    yield f"`python benchmarks/flakiness.py` wrote this page: seeds from {seeds.start} on, torch {torch}."
    yield "Each seed draws other sizes and numbers for every check."
    yield ""
    yield "| exercise | seeds | right code graded | false rejections | wrong code graded | false passes |"
    yield "|---|--:|--:|--:|--:|--:|"
    for name, item in (*found.items(), ("all", total)):
        right, wrong = item.right, item.wrong
        counts = f"{right.gradings:,} | {right.wrong} | {wrong.gradings:,} | {wrong.wrong}"
        yield f"| {name} | {item.seeds} | {counts} |"
    yield ""
    yield "Right code is the solutions and the wheats; a false rejection is one that lost a point. Wrong code is the"
    yield "chaffs and their twins; a false pass is one that lost anything but exactly the criteria that it names."
    yield ""
    yield f"Cases, wrong names among them: {len(cases)}."
    yield from ("", *(f"- {case}" for case in cases)) if cases else ()


def main() -> None:
    """Try, print, and exit with 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", type=int, nargs="?", default=200, metavar="SEEDS")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the lowest seed")
    parser.add_argument("--only", action="append", default=[], metavar="EXERCISE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no seed after that")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="also write the counts there")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    course = load_course(TREES, arguments.only)

    def tell(what: str) -> None:
        print(what, file=sys.stderr, flush=True)

    found = try_all(course.exercises, seeds, arguments.jobs, arguments.minutes, tell)
    lines = list(report(found, seeds))
    print("\n".join(lines))
    if arguments.write:
        arguments.write.write_text("\n".join(lines) + "\n", "utf-8")
    sys.exit(any(item.cases for item in found.values()))


if __name__ == "__main__":
    main()
