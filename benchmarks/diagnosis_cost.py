"""Measure what naming a mistake costs: ``python benchmarks/diagnosis_cost.py [--only EXERCISE]``.

Grades every known mistake of the course in one process, as the runner does, and takes the processor time that the
diagnosis of each submission needs, divided by its failed checks.
"""

import argparse
import cProfile
import gc
import pstats
import statistics
import tempfile
import time
from collections.abc import Collection, Mapping
from pathlib import Path

import torch

from grader.course.load import load_chaffs, load_course
from grader.course.trees import builtin_course
from grader.grading.grade_submission import SubmissionGrader
from grader.grading.messages import Job
from grader.model.report import Diagnosis
from grader.model.submission import Cell, Entry, SourceFile, Submission
from grader.sandbox.jail import kit_paths, readable_paths
from grader.sandbox.processes import Sandbox, fork_zygote
from grader.suite.fingerprint import Fingerprints, Transcript
from grader.suite.plugin import SuitePlugin, run_suites

TREES = builtin_course()


class Stopwatch:
    """Takes the processor time of each diagnosis."""

    def __init__(self, profile: cProfile.Profile | None) -> None:
        self.profile = profile
        self.taken: list[tuple[float, int]] = []
        """Seconds and failed checks, by submission."""
        self._diagnose = Fingerprints.diagnose

    def __call__(
        self,
        fingerprints: Fingerprints,
        transcripts: Mapping[str, Transcript],
        criteria: Mapping[str, str],
        failed: Collection[str],
        earned: Collection[str],
    ) -> dict[str, Diagnosis]:
        """Diagnose as ever."""
        if self.profile:
            self.profile.enable()
        before = time.process_time()
        found = self._diagnose(fingerprints, transcripts, criteria, failed, earned)
        self.taken.append((time.process_time() - before, len(failed)))
        if self.profile:
            self.profile.disable()
        return found


def measure(exercise_id: str, seed: int, suites: SuitePlugin, sandbox: Sandbox, watch: Stopwatch) -> None:
    """Grade each known mistake of an exercise, in both of its forms."""
    course = load_course(TREES)
    exercise = course.exercise(exercise_id)
    grader = SubmissionGrader(
        course=course,
        trees=TREES,
        suites=suites,
        sandboxes=[sandbox],
        readable=readable_paths(exclude=[str(TREES.root)]),
        hidden=(*kit_paths(), str(TREES.hidden)),
        working_directory=tempfile.gettempdir(),
    )
    for chaff in load_chaffs(TREES, exercise.rubric):
        path = TREES.chaff(exercise_id, chaff.id)
        for text in (path.read_text("utf-8"), TREES.twin(path).read_text("utf-8")):
            file = SourceFile(path=f"{exercise_id}.py", cells=(Cell(text=text),))
            entry = Entry(exercise=exercise_id, path=file.path)
            grader.grade(Job(submission=Submission(id="s", files=(file,)), entries=(entry,), seed=seed), lambda _: None)
    if len(watch.taken) < 2:
        return
    first, *rest = watch.taken
    each = sorted(1000 * seconds / failed for seconds, failed in rest)
    whole = sorted(1000 * seconds for seconds, _ in rest)
    print(
        f"{exercise_id:12} {len(rest):4} submissions  per failed check: median {statistics.median(each):5.1f} ms, "
        f"95 % below {each[int(0.95 * len(each))]:5.1f}, most {each[-1]:5.1f}; "
        f"per submission: median {statistics.median(whole):5.0f} ms, most {whole[-1]:5.0f}; "
        f"the first, which loads the known mistakes: {1000 * first[0]:5.0f} ms for {first[1]} checks",
        flush=True,
    )


def main() -> None:
    """Measure and print a line for each exercise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="EXERCISE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--profile", type=Path, help="write a profile of the diagnoses there")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    (sandbox,) = fork_zygote(1)
    ids = [exercise.id for exercise in load_course(TREES, arguments.only).exercises]
    profile = cProfile.Profile() if arguments.profile else None

    def serve(suites: SuitePlugin) -> None:
        gc.freeze()
        for exercise_id in ids:
            watch = Stopwatch(profile)
            Fingerprints.diagnose = lambda *args, watch=watch: watch(*args)  # type: ignore[method-assign, misc]
            measure(exercise_id, arguments.seed, suites, sandbox, watch)
            Fingerprints.diagnose = watch._diagnose  # type: ignore[method-assign]

    try:
        run_suites(TREES.hidden, ids, serve)
    finally:
        sandbox.close()
    if profile:
        profile.dump_stats(arguments.profile)
        pstats.Stats(profile).sort_stats("cumulative").print_stats(30)


if __name__ == "__main__":
    main()
