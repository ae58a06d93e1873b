"""
Say how often right code passes the checks that train it: ``python benchmarks/trained_checks.py [SEEDS]``.

Each seed draws other weights and sequences, and is tried with the solution or, in turn, one of the right forms that the
course knows. Printed are how many passed, the lowest and the median of each number that the check shows the learner,
which tells how far they stay from its bounds, and the processor time of one seed. Ends with status 1 if any failed.
"""

import argparse
import statistics
import sys
import time
from collections import defaultdict

import torch

from grader.course.load import load_course
from grader.course.trees import builtin_course
from grader.grading.known_code import KnownCode, read_stand_ins
from grader.model.verdict import Verdict
from grader.suite.plugin import SuitePlugin, run_suites

TRAINED = "trained_"
"""What the names of these checks begin with."""


def try_checks(suites: SuitePlugin, seeds: int) -> int:
    """Print a few lines for each check that trains; return how often right code failed."""
    trees = builtin_course()
    course = load_course(trees)
    failed = 0
    for exercise in course.exercises:
        forms = [trees.solution(exercise.id), *trees.wheats(exercise.id)]
        stand_ins, ids = read_stand_ins(trees, exercise), course.settings.exercises
        for check in (check for check in exercise.claims if check.startswith(TRAINED)):
            shown: dict[str, list[float]] = defaultdict(list)
            took, passed = [], 0
            for seed in range(seeds):
                path = forms[seed % len(forms)]
                code = KnownCode(suites, exercise, path.read_text("utf-8"), seed, stand_ins, ids)
                for other in suites.depends_on(exercise.id, check):
                    code.result(other)  # else it would be part of the time
                started = time.process_time()
                result = code.result(check)
                took.append(time.process_time() - started)
                if result.verdict is Verdict.PASSED:
                    passed += 1
                else:
                    print(f"seed {seed}, {path.name}: {result.verdict}: {result.rationale} {result.message}")
                for measured in result.observation.numbers if result.observation else ():
                    shown[measured.label].append(measured.value)
            print(f"{exercise.id}, {check}: {passed} of {seeds} seeds passed, {min(len(forms), seeds)} forms in turn")
            for name, numbers in shown.items():
                print(f"    {name}: at least {min(numbers):.3f}, median {statistics.median(numbers):.3f}")
            print(f"    processor time: {statistics.median(took):.1f} s", flush=True)
            failed += seeds - passed
    return failed


def main() -> None:
    """Try them, and exit with 1 if right code ever failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", type=int, nargs="?", default=50, metavar="SEEDS")
    seeds = parser.parse_args().seeds
    torch.set_num_threads(1)
    failures: list[int] = []
    trees = builtin_course()
    ids = [exercise.id for exercise in load_course(trees).exercises]
    run_suites(trees.hidden, ids, lambda suites: failures.append(try_checks(suites, seeds)))
    sys.exit(bool(sum(failures)))


if __name__ == "__main__":
    main()
