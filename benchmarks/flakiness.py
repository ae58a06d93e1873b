"""Look for verdicts that depend on chance: ``python benchmarks/flakiness.py [SEEDS]``.

Right code (solutions and wheats) must pass every check on every seed. Wrong code (chaffs and twins) must lose each
criterion that it names on every seed; that it loses no other, and is named, `grade course check` proves.

Known code runs in this process, so a seed takes less than a minute of processor time. What is done is kept in
``flakiness.jsonl`` beside this script, so runs in pieces add up, and only exercises that change are tried again; the
page is written from that file.
"""

import argparse
import ast
import gc
import hashlib
import itertools
import os
import random
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from pydantic import BaseModel
from trained_checks import TRAINED

from grader.authoring.kept import code_alone
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
DONE = Path(__file__).with_suffix(".jsonl")
ACCEPTED = (Verdict.PASSED, Verdict.NOT_ASSESSED)


class Tried(BaseModel):
    """What is known of one exercise on some seeds: a line of the file."""

    exercise: str
    code: str
    """What `digest_of` gave; of other code the line says nothing."""
    torch: str
    seeds: list[tuple[int, int]]
    """Ranges of them, with both ends."""
    right: int
    """How often right code was graded."""
    wrong: int
    false_rejections: list[str]
    false_passes: list[str]
    cpu_s: float

    @property
    def all_seeds(self) -> set[int]:
        """Each of the seeds."""
        return {seed for first, last in self.seeds for seed in range(first, last + 1)}


class Trial:
    """All known code of one exercise on one seed."""

    def __init__(self, suites: SuitePlugin, course: Course, exercise: Exercise, seed: int) -> None:
        self.suites, self.course, self.exercise, self.seed = suites, course, exercise, seed
        self.stand_ins = read_stand_ins(TREES, exercise)
        questions = load_questions(TREES, exercise.id)
        self.answers = Answers()
        if questions:
            self.answers = open_answers(questions, right_answers(exercise.id, questions, seed), seed)

    def run(self) -> Tried:
        """Return what is known of this seed."""
        started = time.process_time()
        right = [TREES.solution(self.exercise.id), *TREES.wheats(self.exercise.id)]
        rejections = [case for path in right for case in self._rejections(path)]
        chaffs = load_chaffs(TREES, self.exercise.rubric)
        forms = {chaff.id: TREES.chaff(self.exercise.id, chaff.id) for chaff in chaffs}
        wrong = [(chaff, path) for chaff in chaffs for path in (forms[chaff.id], TREES.twin(forms[chaff.id]))]
        passes = [case for chaff, path in wrong for case in self._passes(path, chaff.loses)]
        return Tried(
            exercise=self.exercise.id,
            code=digest_of(self.exercise),
            torch=torch.__version__,
            seeds=[(self.seed, self.seed)],
            right=len(right),
            wrong=len(wrong),
            false_rejections=rejections,
            false_passes=passes,
            cpu_s=round(time.process_time() - started, 1),
        )

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
                said = f"{check} is {result.verdict}: {result.rationale} {result.message}"
                yield f"seed {self.seed}, {_name(path)}: {said}".strip()

    def _passes(self, path: Path, loses: Sequence[str]) -> Iterator[str]:
        code = self.code(path)
        kept = (criterion for criterion in loses if not code.loses(criterion))
        return (f"seed {self.seed}, {_name(path)}: keeps {criterion}" for criterion in kept)


def digest_of(exercise: Exercise) -> str:
    """
    Return a hash of what a trial follows from: the suite, the known code, and what belongs to which criterion.

    Words are left out: a better comment or docstring is no reason to try hundreds of seeds again. A chaff's docstring
    says what it loses.
    """
    known = TREES.suite(exercise.id), TREES.solution(exercise.id), *map(TREES.stand_in, exercise.rubric.builds_on)
    chaffs = TREES.chaffs(exercise.id)
    digest = hashlib.sha256()
    for path in (*known, *TREES.wheats(exercise.id), *map(TREES.twin, chaffs)):
        digest.update(code_alone(path.read_bytes()))
    for path in chaffs:
        digest.update(ast.dump(ast.parse(path.read_bytes())).encode())
    for criterion in exercise.rubric.criteria:
        digest.update(f"{criterion.id}: {criterion.checks}\n".encode())
    return digest.hexdigest()[:16]


def _name(path: Path) -> str:
    kind = {"twins": "twin", "solutions": "solution"}.get(path.parent.name, path.parents[1].name.removesuffix("s"))
    return f"{kind} {path.stem}"


def read_done(path: Path, course: Course) -> list[Tried]:
    """Return what was found in earlier runs, of code that is still the same, in one piece for each exercise."""
    text = path.read_text("utf-8") if path.is_file() else ""
    lines = [Tried.model_validate_json(line) for line in text.splitlines()]
    order = [exercise.id for exercise in course.exercises]
    current = {exercise.id: digest_of(exercise) for exercise in course.exercises}
    kept = [line for line in lines if line.code == current.get(line.exercise)]
    kept.sort(key=lambda line: (order.index(line.exercise), line.torch))
    return [_together(list(same)) for _, same in itertools.groupby(kept, lambda line: (line.exercise, line.torch))]


def _together(same: Sequence[Tried]) -> Tried:
    return Tried(
        exercise=same[0].exercise,
        code=same[0].code,
        torch=same[0].torch,
        seeds=_ranges({seed for tried in same for seed in tried.all_seeds}),
        right=sum(tried.right for tried in same),
        wrong=sum(tried.wrong for tried in same),
        false_rejections=sorted(case for tried in same for case in tried.false_rejections),
        false_passes=sorted(case for tried in same for case in tried.false_passes),
        cpu_s=round(sum(tried.cpu_s for tried in same), 1),
    )


def _ranges(seeds: set[int]) -> list[tuple[int, int]]:
    starts = sorted(seed for seed in seeds if seed - 1 not in seeds)
    ends = sorted(seed for seed in seeds if seed + 1 not in seeds)
    return list(zip(starts, ends, strict=True))


def work(tasks: Sequence[tuple[int, str]], course: Course, done: Path, deadline: float) -> None:
    """Try exercises on seeds, one after another, and add a line for each to the file."""

    def serve(suites: SuitePlugin) -> None:
        gc.freeze()
        for seed, exercise in tasks:
            if time.monotonic() > deadline:
                return
            tried = Trial(suites, course, course.exercise(exercise), seed).run()
            with done.open("a", encoding="utf-8") as file:
                file.write(tried.model_dump_json() + "\n")  # one short line: two processes do not mix them
            cases = len(tried.false_rejections) + len(tried.false_passes)
            print(f"seed {seed}, {exercise}: {tried.cpu_s} s, {cases} cases", file=sys.stderr, flush=True)

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


def page(found: Sequence[Tried], course: Course) -> Iterator[str]:
    """Yield the lines of a Markdown page."""
    yield "# Do verdicts depend on chance?"
    yield ""
    yield "`python benchmarks/flakiness.py` wrote this page. Each seed draws other sizes and numbers for every check."
    yield ""
    yield "| exercise | seeds | right code graded | false rejections | wrong code graded | false passes | CPU s |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for exercise in course.exercises:
        of_it = [tried for tried in found if tried.exercise == exercise.id]
        seeds = sum(len(tried.all_seeds) for tried in of_it)
        yield f"| {exercise.id} | {seeds} | {_counts(of_it)} | {sum(t.cpu_s for t in of_it) / max(1, seeds):.0f} |"
    yield f"| all | | {_counts(found)} | |"
    yield ""
    yield "Right code is the solutions and the wheats, under all checks but those that train it, which"
    yield "`benchmarks/trained_checks.py` tries; a false rejection is a check that it did not pass. Wrong code is the"
    yield "chaffs and their twins; a false pass is a criterion that it names and did not lose. That it loses no other,"
    yield "and is named, is proved by `grade course check` ([proof.md](proof.md)). CPU s is the processor time of one"
    yield "seed. What was tried before an exercise's suite or known code last changed is not counted."
    yield ""
    ranges = _ranges({seed for tried in found for seed in tried.all_seeds})
    seeds_said = ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges)
    yield f"Seeds: {seeds_said}. torch {', '.join(sorted({tried.torch for tried in found}))}."
    cases = [f"{t.exercise}, {case}" for t in found for case in (*t.false_rejections, *t.false_passes)]
    yield from ("", "Cases:", "", *(f"- {case}" for case in cases)) if cases else ()


def _counts(found: Sequence[Tried]) -> str:
    right, wrong = sum(tried.right for tried in found), sum(tried.wrong for tried in found)
    rejections = sum(len(tried.false_rejections) for tried in found)
    passes = sum(len(tried.false_passes) for tried in found)
    return f"{right:,} | {rejections} | {wrong:,} | {passes}"


def main() -> None:
    """Try what is not done yet, write the page, and exit with 1 if anything ever went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", type=int, nargs="?", default=200, metavar="SEEDS")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the lowest seed")
    parser.add_argument("--only", action="append", default=[], metavar="EXERCISE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin nothing after that")
    parser.add_argument("--done", type=Path, default=DONE, metavar="FILE", help="what is done")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the page there")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    course = load_course(TREES)
    only = arguments.only or [exercise.id for exercise in course.exercises]
    done = {(seed, tried.exercise) for tried in read_done(arguments.done, course) for seed in tried.all_seeds}
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    tasks = [(seed, exercise) for seed in seeds for exercise in only if (seed, exercise) not in done]
    random.Random(0).shuffle(tasks)  # otherwise one process may get all the dear ones
    work_in_forks(tasks, course, arguments.done, max(1, arguments.jobs), arguments.minutes)
    found = read_done(arguments.done, course)
    arguments.done.write_text("".join(tried.model_dump_json() + "\n" for tried in found), "utf-8")
    lines = list(page(found, course))
    print("\n".join(lines))
    if arguments.write:
        arguments.write.write_text("\n".join(lines) + "\n", "utf-8")
    sys.exit(any(tried.false_rejections or tried.false_passes for tried in found))


if __name__ == "__main__":
    main()
