"""Measure what naming a mistake costs: ``python benchmarks/diagnosis_cost.py [--only EXERCISE]``.

Runs every known mistake of the course, in both of its forms, under all checks, and takes the processor time that its
diagnosis needs, divided by its failed checks. The first diagnosis of an exercise also reads the known mistakes.
"""

import argparse
import gc
import statistics
import time

import torch

from grader.course.load import load_course
from grader.course.trees import builtin_course
from grader.grading.known_code import KnownCode, read_fingerprints, read_stand_ins
from grader.model.course import Course, Exercise
from grader.model.verdict import Verdict
from grader.suite.plugin import SuitePlugin, run_suites

TREES = builtin_course()
_WRONG = (Verdict.FAILED, Verdict.RAISED)


def measure(suites: SuitePlugin, course: Course, exercise: Exercise, seed: int) -> str:
    """Return a line about one exercise."""
    stand_ins, ids = read_stand_ins(TREES, exercise), course.settings.exercises
    fingerprints = read_fingerprints(TREES, exercise, stand_ins, ids)
    of_checks = {check: criterion.id for criterion in exercise.rubric.criteria for check in criterion.checks}
    each, whole = [], []
    for path in TREES.chaffs(exercise.id):
        for form in (path, TREES.twin(path)):
            code = KnownCode(suites, exercise, form.read_text("utf-8"), seed, stand_ins, ids)
            results = {check: code.result(check) for check in exercise.claims}
            failed = [check for check, result in results.items() if result.verdict in _WRONG]
            kept = (Verdict.PASSED, Verdict.NOT_ASSESSED)
            lost = {of_checks[check] for check, result in results.items() if result.verdict not in kept}
            started = time.process_time()
            fingerprints.diagnose(code.transcripts, of_checks, failed, set(of_checks.values()) - lost)
            whole.append(1000 * (time.process_time() - started))
            each.append(whole[-1] / len(failed))
    first, rest = whole[0], sorted(each[1:])
    return (
        f"{exercise.id:12}{len(each):6}{statistics.median(rest):10.1f}{rest[int(0.95 * len(rest))]:10.1f}"
        f"{sum(ms > 50 for ms in rest):8}{rest[-1]:10.1f}{statistics.median(whole[1:]):12.1f}{first:10.1f}"
    )


def main() -> None:
    """Measure and print a line for each exercise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="EXERCISE")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    course = load_course(TREES)
    chosen = [exercise for exercise in course.exercises if not arguments.only or exercise.id in arguments.only]

    def serve(suites: SuitePlugin) -> None:
        gc.freeze()
        print("milliseconds of processor time  for each failed check            for a submission")
        print("exercise     forms    median   95 % <    > 50      most      median     first")
        for exercise in chosen:
            print(measure(suites, course, exercise, arguments.seed), flush=True)

    run_suites(TREES.hidden, [exercise.id for exercise in chosen], serve)


if __name__ == "__main__":
    main()
