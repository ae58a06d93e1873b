"""
Time the same checks on the same class in three ways, in turn in one run.

Run: ``python benchmarks/class_speed.py [--submissions 30] [--fresh 30] [--jobs 2] [--only EXERCISE]``. Everybody hands
in the whole course, each exercise solved in one of the forms that the course knows. Compared are

- ``grade batch``, everything included: reading, jail, wire, asking again, store and reports;
- a fresh ``pytest`` process for each submission, as many at a time, that runs the same hidden suites on it through the
  same fixtures, with the learner's code in the process itself;
- a bare fork of a process that has imported torch and collected the suites, which does nothing but the checks: no
  pytest, wire, jail or report. No way of running them can take less.

Printed are seconds by the clock, which depend on what else the machine does, and processor time, which hardly does.
`grade batch` and the bare forks are also given without what they take to start, which a large class pays once: that is
what a class of two takes. Ends with status 1 if the three do not agree that everything is right.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

SEED = 1
FEW = 2
"""A class of so many takes little more than it takes to start."""


class Took(NamedTuple):
    """What something took."""

    wall_s: float
    cpu_s: float

    def __sub__(self, other: "Took") -> "Took":
        return Took(self.wall_s - other.wall_s, self.cpu_s - other.cpu_s)

    def each(self, number: int) -> "Took":
        """Divided by a number of submissions."""
        return Took(self.wall_s / number, self.cpu_s / number)


def measure(work: Callable[[], None]) -> Took:
    """Measure work that is done in child processes."""
    started, before = time.perf_counter(), _children_s()
    work()
    return Took(time.perf_counter() - started, _children_s() - before)


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def make_class(folder: Path, number: int, exercises: Sequence[str]) -> Path:
    """Write a class in which everything is right: each exercise in one of the forms that the course knows."""
    from grader.course.load import load_course
    from grader.course.trees import builtin_course
    from grader.model.submission import Cell, SourceFile
    from grader.suite.forbidden import find_forbidden

    trees, chance = builtin_course(), random.Random(SEED)
    forms = {}
    for exercise in load_course(trees, exercises).exercises:
        name, rubric = f"{exercise.id}.py", exercise.rubric
        known = [trees.solution(exercise.id), *trees.wheats(exercise.id)]
        files = [SourceFile(path=name, cells=(Cell(text=path.read_text("utf-8")),)) for path in known]
        allowed = [not find_forbidden([file], name, exercise.promises, rubric.forbids, ()) for file in files]
        forms[exercise.id] = [path for path, may in zip(known, allowed, strict=True) if may]
    for index in range(number):
        home = folder / f"s{index:03}"
        home.mkdir(parents=True)
        for exercise, known in forms.items():
            text = chance.choice(known).read_text("utf-8")
            (home / f"{exercise}.py").write_text(f"{text}\n# {index}\n", "utf-8")
    return folder


def by_grade_batch(source: Path, work: Path, jobs: int, only: Sequence[str]) -> None:
    """Grade the class as an instructor does."""
    store = work / f"{source.name}.sqlite"
    store.unlink(missing_ok=True)
    command = [sys.executable, "-c", "from grader.cli.main import main; main()", "batch", str(source)]
    command += ["--store", str(store), "--output", str(work / f"{source.name}-graded"), "--seed", str(SEED)]
    command += ["--jobs", str(jobs), *(part for exercise in only for part in ("--only", exercise))]
    subprocess.run(command, cwd=work, check=True, capture_output=True)
    index = json.loads((work / f"{source.name}-graded" / "index.json").read_text("utf-8"))
    wrong = [entry["student"]["id"] for entry in index["students"] if entry["raw"] != entry["max_score"]]
    if wrong:
        raise SystemExit(f"grade batch finds mistakes in the work of {', '.join(wrong)}")


def by_child(way: str, homes: Sequence[Path], exercises: Sequence[str], jobs: int) -> None:
    """Run this file in another process, which does the checks."""
    command = [sys.executable, __file__, way, *map(str, homes), "--jobs", str(jobs), "--only", *exercises]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{way}: {' '.join(map(str, homes))}\n{done.stdout}{done.stderr}")


class InThisProcess:
    """Makes conversations with submissions that are loaded in this very process."""

    def __init__(self, exercises: Sequence[str]) -> None:
        from grader.course.load import load_course
        from grader.course.trees import builtin_course
        from grader.grading.known_code import read_stand_ins
        from grader.sandbox import pretend_device

        trees = builtin_course()
        self._course = load_course(trees, exercises)
        self._stand_ins = {exercise.id: read_stand_ins(trees, exercise) for exercise in self._course.exercises}
        self._not_here: dict[Any, str] = {"accelerator": "Not compared."}
        if not pretend_device.available():
            self._not_here["pretend"] = pretend_device.unavailable_reason()
        self._executors: dict[tuple[Path, str], Any] = {}

    def begin(self, home: Path, exercise: str, check: str) -> Any:
        """Return one run of a check on a submission."""
        from grader.sandbox.remote import Conversation
        from grader.suite.draw import Draw, seed_for
        from grader.suite.fingerprint import load_known_code
        from grader.suite.plugin import CheckRun

        if (home, exercise) not in self._executors:
            text = (home / f"{exercise}.py").read_text("utf-8")
            known = load_known_code(text, exercise, self._stand_ins[exercise], self._course.settings.exercises)
            self._executors[home, exercise] = known
        seed, perform = seed_for(SEED, exercise, check), self._executors[home, exercise].perform
        return CheckRun(Conversation(lambda request, _: perform(request), seed, not_here=self._not_here), Draw(seed))


def fresh_pytest(home: Path, exercises: Sequence[str]) -> int:
    """Run the suites with pytest on one submission, in this process; return pytest's status."""
    import pytest
    import torch

    from grader.course.trees import builtin_course
    from grader.sandbox.problems import CannotJudgeError, NotAssessedError
    from grader.sandbox.remote import RemoteLearner

    torch.set_num_threads(1)
    begin = InThisProcess(exercises).begin

    class InProcess:
        """The fixtures of the suites."""

        @pytest.fixture
        def run(self, request: pytest.FixtureRequest) -> Any:
            return begin(home, request.path.stem.removeprefix("test_"), request.node.name.removeprefix("test_"))

        @pytest.fixture
        def learner(self, run: Any) -> Any:
            return RemoteLearner(run.conversation)

        @pytest.fixture
        def draw(self, run: Any) -> Any:
            return run.draw

        @pytest.fixture
        def observe(self, run: Any) -> Any:
            return run.observe

        @pytest.hookimpl(wrapper=True)
        def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Any:
            del pyfuncitem
            try:
                return (yield)
            except (CannotJudgeError, NotAssessedError) as reason:
                pytest.skip(str(reason))

    hidden = builtin_course().hidden
    suites = [str(hidden / f"test_{exercise}.py") for exercise in exercises]
    options = ["-q", "--noconftest", "-p", "no:cacheprovider", f"--config-file={ROOT / 'grader/suite/pytest.ini'}"]
    return int(pytest.main([*options, *suites], plugins=[InProcess()]))


def bare_forks(homes: Sequence[Path], exercises: Sequence[str], jobs: int) -> int:
    """Fork a child for each submission, so many at a time, that does the checks; return how many found mistakes."""
    import gc

    import torch

    from grader.course.trees import builtin_course
    from grader.model.verdict import Verdict
    from grader.sandbox.problems import CannotJudgeError, NotAssessedError
    from grader.sandbox.zygote import _warm_up
    from grader.suite.plugin import SuitePlugin, run_suites

    torch.set_num_threads(1)
    wrong = 0
    begin = InThisProcess(exercises).begin

    def check(home: Path, suites: SuitePlugin) -> int:
        for exercise, items in suites.items.items():
            for name in items:
                run = begin(home, exercise, name)
                suites.run_check(exercise, name, run)
                if not isinstance(run.error, (CannotJudgeError, NotAssessedError, type(None))):
                    print(home, exercise, name, Verdict.FAILED, run.error, flush=True)
                    return 1
        return 0

    def serve(suites: SuitePlugin) -> None:
        nonlocal wrong
        _warm_up()
        gc.collect()
        gc.freeze()
        running = 0
        for home in homes:
            if running == jobs:
                wrong += os.wait()[1] != 0
                running -= 1
            if os.fork() == 0:
                status = 70
                try:
                    status = check(home, suites)
                finally:
                    os._exit(status)
            running += 1
        for _ in range(running):
            wrong += os.wait()[1] != 0

    run_suites(builtin_course().hidden, list(exercises), serve)
    return wrong


def compare(arguments: argparse.Namespace, exercises: Sequence[str]) -> None:
    """Measure all ways in turn and print them."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        source = make_class(work / "class", arguments.submissions, exercises)
        few = make_class(work / "few", FEW, exercises)
        homes, few_homes = sorted(source.iterdir()), sorted(few.iterdir())
        fresh = homes[: arguments.fresh]
        jobs, number = arguments.jobs, len(homes)

        def each_fresh() -> None:
            with ThreadPoolExecutor(jobs) as pool:
                list(pool.map(lambda home: by_child("fresh", [home], exercises, 1), fresh))

        only = arguments.only
        batch = measure(lambda: by_grade_batch(source, work, jobs, only))
        pytest_each = measure(each_fresh).each(len(fresh))
        bare = measure(lambda: by_child("bare", homes, exercises, jobs))
        batch_start = measure(lambda: by_grade_batch(few, work, jobs, only))
        bare_start = measure(lambda: by_child("bare", few_homes, exercises, jobs))

    batch_each, batch_more = batch.each(number), (batch - batch_start).each(number - FEW)
    bare_more = (bare - bare_start).each(number - FEW)
    print(f"{number} submissions of {len(exercises)} exercises, {jobs} at a time; for each, in milliseconds")
    print(f"{'':44}{'by the clock':>14}{'processor':>12}")
    for name, took in (
        ("grade batch", batch_each),
        ("grade batch, started", batch_more),
        (f"fresh pytest ({len(fresh)} of them)", pytest_each),
        ("bare forks, started", bare_more),
    ):
        print(f"{name:44}{1000 * took.wall_s:14.0f}{1000 * took.cpu_s:12.0f}")
    print("ratios")
    for name, over, under in (
        ("fresh pytest / grade batch", pytest_each, batch_each),
        ("fresh pytest / grade batch, started", pytest_each, batch_more),
        ("grade batch, started / bare forks, started", batch_more, bare_more),
    ):
        print(f"{name:44}{over.wall_s / under.wall_s:13.2f}x{over.cpu_s / under.cpu_s:11.2f}x")


def main() -> None:
    """Compare, or do the checks in one way for whoever compares."""
    from grader.course.load import load_course
    from grader.course.trees import builtin_course

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ways = ("compare", "fresh", "bare")
    parser.add_argument("way", nargs="?", choices=ways, default="compare", help=argparse.SUPPRESS)
    parser.add_argument("homes", nargs="*", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--submissions", type=int, default=30)
    parser.add_argument("--fresh", type=int, default=30, help="how many of them get a pytest process")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=[], metavar="EXERCISE")
    arguments = parser.parse_args()
    exercises = arguments.only or load_course(builtin_course()).settings.exercises
    if arguments.way == "fresh":
        raise SystemExit(fresh_pytest(arguments.homes[0], exercises))
    if arguments.way == "bare":
        raise SystemExit(bare_forks(arguments.homes, exercises, arguments.jobs))
    compare(arguments, exercises)


if __name__ == "__main__":
    main()
