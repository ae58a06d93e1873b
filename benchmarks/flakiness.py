"""Look for verdicts that depend on chance: ``python benchmarks/flakiness.py [SEEDS]``.

Right code (solutions and wheats) must pass every check on every seed. Wrong code (chaffs and twins) must lose each
criterion that it names on every seed; that it loses no other, and is named, `grade course check` proves.

Known code runs in this process, so a seed takes less than a minute of processor time. Every seed that is done is added
to a file, so runs in pieces add up; the page is written from that file.
"""

import argparse
import ast
import gc
import hashlib
import json
import os
import random
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from trained_checks import TRAINED

from grader.course.answers import right_answers
from grader.course.load import load_chaffs, load_course
from grader.course.questions import load_questions
from grader.course.trees import builtin_course
from grader.grading.known_code import KnownCode, read_stand_ins
from grader.model.course import Course, Exercise
from grader.model.verdict import Verdict
from grader.suite.answers import Answers, open_answers
from grader.suite.plugin import SuitePlugin, run_suites

TREES = builtin_course()
ACCEPTED = (Verdict.PASSED, Verdict.NOT_ASSESSED)


class Trial:
    """All known code of one exercise on one seed."""

    def __init__(self, suites: SuitePlugin, course: Course, exercise: Exercise, seed: int) -> None:
        self.suites, self.course, self.exercise, self.seed = suites, course, exercise, seed
        self.stand_ins = read_stand_ins(TREES, exercise)
        questions = load_questions(TREES, exercise.id)
        self.answers = Answers()
        if questions:
            self.answers = open_answers(questions, right_answers(exercise.id, questions, seed), seed)

    def run(self) -> dict[str, Any]:
        """Return what is known of this seed, ready for JSON."""
        started = time.process_time()
        right = [TREES.solution(self.exercise.id), *TREES.wheats(self.exercise.id)]
        rejections = [case for path in right for case in self._rejections(path)]
        chaffs = load_chaffs(TREES, self.exercise.rubric)
        forms = {chaff.id: TREES.chaff(self.exercise.id, chaff.id) for chaff in chaffs}
        wrong = [(chaff, path) for chaff in chaffs for path in (forms[chaff.id], TREES.twin(forms[chaff.id]))]
        passes = [case for chaff, path in wrong for case in self._passes(path, chaff.loses)]
        return {
            "exercise": self.exercise.id,
            "seed": self.seed,
            "right": len(right),
            "false_rejections": rejections,
            "wrong": len(wrong),
            "false_passes": passes,
            "cpu_s": round(time.process_time() - started, 1),
            "torch": torch.__version__,
            "code": digest_of(self.exercise),
        }

    def code(self, path: Path) -> KnownCode:
        """Return one piece of the exercise's known code, on this seed."""
        text = path.read_text("utf-8")
        ids = self.course.settings.exercises
        return KnownCode(self.suites, self.exercise, text, self.seed, self.stand_ins, ids, self.answers)

    def _rejections(self, path: Path) -> Iterator[str]:
        code = self.code(path)
        for check in self.exercise.claims:
            if check.startswith(TRAINED):
                continue
            result = code.result(check)
            if result.verdict not in ACCEPTED:
                yield f"{_name(path)}: {check} is {result.verdict}: {result.rationale} {result.message}".strip()

    def _passes(self, path: Path, loses: Sequence[str]) -> Iterator[str]:
        code = self.code(path)
        return (f"{_name(path)}: keeps {criterion}" for criterion in loses if not code.loses(criterion))


def digest_of(exercise: Exercise) -> str:
    """
    Return a hash of what a trial follows from: the suite, the known code, and what belongs to which criterion.

    Comments and line breaks are left out: a better one is no reason to try hundreds of seeds again.
    """
    known = TREES.suite(exercise.id), TREES.solution(exercise.id), *map(TREES.stand_in, exercise.rubric.builds_on)
    chaffs = TREES.chaffs(exercise.id)
    paths = *known, *TREES.wheats(exercise.id), *chaffs, *map(TREES.twin, chaffs)
    digest = hashlib.sha256()
    for path in paths:
        digest.update(ast.dump(ast.parse(path.read_bytes())).encode())
    for criterion in exercise.rubric.criteria:
        digest.update(f"{criterion.id}: {criterion.checks}\n".encode())
    return digest.hexdigest()[:16]


def _name(path: Path) -> str:
    kind = {"twins": "twin", "solutions": "solution"}.get(path.parent.name, path.parents[1].name.removesuffix("s"))
    return f"{kind} {path.stem}"


def read_done(path: Path) -> list[dict[str, Any]]:
    """Return the trials of earlier runs."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []


def work(tasks: Sequence[tuple[int, str]], course: Course, done: Path, deadline: float) -> None:
    """Try exercises on seeds, one after another, and add a line for each to the file."""

    def serve(suites: SuitePlugin) -> None:
        gc.freeze()
        for seed, exercise in tasks:
            if time.monotonic() > deadline:
                return
            trial = Trial(suites, course, course.exercise(exercise), seed).run()
            with done.open("a", encoding="utf-8") as file:
                file.write(json.dumps(trial) + "\n")  # one short line: two processes do not mix them
            cases = len(trial["false_rejections"]) + len(trial["false_passes"])
            print(f"seed {seed}, {exercise}: {trial['cpu_s']} s, {cases} cases", file=sys.stderr, flush=True)

    run_suites(TREES.hidden, [exercise.id for exercise in course.exercises], serve)


def work_in_forks(tasks: Sequence[tuple[int, str]], course: Course, done: Path, jobs: int, minutes: float) -> None:
    """Share the tasks out among processes."""
    deadline = time.monotonic() + 60 * minutes
    children = []
    for lane in range(jobs):
        pid = os.fork()
        if not pid:
            try:
                work(tasks[lane::jobs], course, done, deadline)
                os._exit(0)
            except BaseException:  # noqa: BLE001 - a fork must not go on as its parent
                traceback.print_exc()
                os._exit(1)
        children.append(pid)
    statuses = [os.waitpid(pid, 0)[1] for pid in children]
    if any(statuses):
        sys.exit("A process failed; what it said stands above.")


def page(trials: Sequence[dict[str, Any]], course: Course) -> Iterator[str]:
    """Yield the lines of a Markdown page."""
    yield "# Do verdicts depend on chance?"
    yield ""
    yield "`python benchmarks/flakiness.py` wrote this page. Each seed draws other sizes and numbers for every check."
    yield ""
    yield "| exercise | seeds | right code graded | false rejections | wrong code graded | false passes | CPU s |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    rows = {exercise.id: [t for t in trials if t["exercise"] == exercise.id] for exercise in course.exercises}
    for name, rowed in (*rows.items(), ("all", list(trials))):
        seeds = len({trial["seed"] for trial in rowed})
        right, wrong = sum(trial["right"] for trial in rowed), sum(trial["wrong"] for trial in rowed)
        rejections = sum(len(trial["false_rejections"]) for trial in rowed)
        passes = sum(len(trial["false_passes"]) for trial in rowed)
        cpu = sum(trial["cpu_s"] for trial in rowed) / max(1, seeds)
        yield f"| {name} | {seeds} | {right:,} | {rejections} | {wrong:,} | {passes} | {cpu:.0f} |"
    yield ""
    yield "Right code is the solutions and the wheats, under all checks but those that train it, which"
    yield "`benchmarks/trained_checks.py` tries; a false rejection is a check that it did not pass. Wrong code is the"
    yield "chaffs and their twins; a false pass is a criterion that it names and did not lose. That it loses no other,"
    yield "and is named, is proved by `grade course check` ([proof.md](proof.md)). CPU s is the processor time of one"
    yield "seed."
    yield ""
    torches = ", ".join(sorted({trial["torch"] for trial in trials}))
    yield f"Seeds: {_ranges({trial['seed'] for trial in trials})}. torch {torches}."
    changed = [name for name, rowed in rows.items() if {t["code"] for t in rowed} - {digest_of(course.exercise(name))}]
    if changed:
        yield f"Some of these seeds were tried before the exercise was last changed: {', '.join(changed)}."
    cases = [
        f"{trial['exercise']}, seed {trial['seed']}: {case}"
        for trial in trials
        for case in (*trial["false_rejections"], *trial["false_passes"])
    ]
    yield from ("", "Cases:", "", *(f"- {case}" for case in sorted(cases))) if cases else ()


def _ranges(seeds: set[int]) -> str:
    """Say numbers in few words: 0–9, 12."""
    starts = sorted(seed for seed in seeds if seed - 1 not in seeds)
    ends = sorted(seed for seed in seeds if seed + 1 not in seeds)
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in zip(starts, ends, strict=True))


def main() -> None:
    """Try what is not done yet, write the page, and exit with 1 if anything ever went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", type=int, nargs="?", default=200, metavar="SEEDS")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the lowest seed")
    parser.add_argument("--only", action="append", default=[], metavar="EXERCISE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin nothing after that")
    parser.add_argument("--done", type=Path, default=Path("flakiness.jsonl"), help="what is done, one line each")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the page there")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    course = load_course(TREES)
    only = arguments.only or [exercise.id for exercise in course.exercises]
    done = {
        (trial["seed"], trial["exercise"])
        for trial in read_done(arguments.done)
        if trial["code"] == digest_of(course.exercise(trial["exercise"]))
    }
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    tasks = [(seed, exercise) for seed in seeds for exercise in only if (seed, exercise) not in done]
    random.Random(0).shuffle(tasks)  # otherwise one process may get all the dear ones
    work_in_forks(tasks, course, arguments.done, max(1, arguments.jobs), arguments.minutes)
    trials = read_done(arguments.done)
    lines = list(page(trials, course))
    print("\n".join(lines))
    if arguments.write:
        arguments.write.write_text("\n".join(lines) + "\n", "utf-8")
    sys.exit(any(trial["false_rejections"] or trial["false_passes"] for trial in trials))


if __name__ == "__main__":
    main()
