"""
Let a forging worker answer hidden suites, and see that whatever it says is that check's verdict and nothing else's.

Run: ``python benchmarks/fuzz_replies.py [--gradings 200] [--seed 1] [--course DIR]``. Each grading runs every check of
one exercise. The answers are the solution's, but some of them, chosen by chance, are changed in ways that the wire
lets through: other types, shapes, dtypes, sizes, names, numbers of parts, no answer at all. No check may be
``errored``, no exception may end the grading, and each verdict ``crashed`` must come with a flag. Ends with status 1
if that does not hold, and says where.
"""

import argparse
import collections
import random
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from grader.course.load import load_course
from grader.course.trees import open_course
from grader.grading.grade_submission import SubmissionGrader
from grader.grading.messages import Event, Job
from grader.model.course import Course, Exercise
from grader.model.report import Isolation, ScoreReport
from grader.model.submission import Cell, Entry, SourceFile, Submission
from grader.model.verdict import Verdict
from grader.sandbox.channel import unpack_received
from grader.sandbox.executor import Executor
from grader.sandbox.problems import LearnerProblem
from grader.sandbox.processes import Worker
from grader.sandbox.wire import ActiveDevice, Handle, Opaque, ProtocolError, pack_frame, split_frame, unpack_frame
from grader.suite.fingerprint import load_known_code
from grader.suite.plugin import SuitePlugin, run_suites

_DTYPES = (torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.bool, torch.complex64, torch.uint8)
_STRANGE: tuple[Callable[[], Any], ...] = (
    lambda: None, lambda: True, lambda: 0, lambda: -1, lambda: 2**62, lambda: float("nan"), lambda: 1e308, lambda: "",
    lambda: "cpu", lambda: "weight", lambda: (), list, dict, lambda: [None], lambda: ("a", 1),
    lambda: Handle(0, "Layer"), lambda: Handle(7, "Layer"), lambda: Opaque("thing"), lambda: ActiveDevice(),
    lambda: torch.tensor(1.5), lambda: torch.zeros(0), lambda: torch.zeros(3, 0, 2),
    lambda: torch.full((2, 3), torch.nan),
    lambda: torch.full((4,), torch.inf), lambda: torch.zeros([1] * 12), lambda: torch.zeros(1 << 20),
    lambda: torch.ones(1, 1 << 18), lambda: torch.ones(2, 3, 5, 7, dtype=torch.bool),
    lambda: {"weight": torch.ones(2, 2)},
    lambda: (torch.ones(2, 3), torch.ones(2, 3)), lambda: [[[1, 2], [3]], "x"],
)  # fmt: skip


def change(random_: random.Random, value: Any) -> Any:
    """Return the value with one place in it changed."""
    if isinstance(value, torch.Tensor) and random_.random() < 0.7:
        return _change_tensor(random_, value)
    if isinstance(value, dict) and value and random_.random() < 0.9:
        key = random_.choice(list(value))
        changed = dict(value)
        what = random_.random()
        if what < 0.12:
            del changed[key]
        elif what < 0.24:
            changed[random_.choice(["value", "weight", "W_q.weight", "b" * 300, "\x1b[2J"])] = changed.pop(key)
        else:
            changed[key] = change(random_, value[key])
        return changed
    if isinstance(value, (list, tuple)) and value and random_.random() < 0.9:
        items, place = list(value), random_.randrange(len(value))
        what = random_.random()
        if what < 0.15:
            del items[place]
        elif what < 0.3:
            items += [items[place]] * random_.choice([1, 2, 30])
        else:
            items[place] = change(random_, items[place])
        return type(value)(items)
    if type(value) is bool and random_.random() < 0.7:
        return not value
    return random_.choice(_STRANGE)()


def _change_tensor(random_: random.Random, tensor: torch.Tensor) -> Any:
    what = random_.randrange(9)
    if what == 0:
        return tensor.to(random_.choice(_DTYPES))
    if what == 1:
        return tensor.unsqueeze(random_.randint(0, tensor.dim()))
    if what == 2:
        return tensor.flatten()
    if what == 3:
        return tensor.transpose(0, -1) if tensor.dim() else tensor
    if what == 4:
        return tensor[:0] if tensor.dim() else tensor
    if what == 5:
        return torch.cat([tensor, tensor]) if tensor.dim() else tensor
    if what == 6:
        return (
            tensor * random_.choice([0, -1, float("nan"), float("inf"), 1e30]) if tensor.is_floating_point() else tensor
        )
    if what == 7:
        return tensor.expand(random_.choice([1, 3, 50]), *tensor.shape) if tensor.numel() < 10_000 else tensor
    return torch.randn_like(tensor) if tensor.is_floating_point() else torch.zeros_like(tensor)


class ForgingWorker(Worker):
    """Answers with a solution's answers, some of them forged."""

    def __init__(self, executor: Executor, random_: random.Random, share: float) -> None:
        self._executor, self._random, self._share = executor, random_, share
        self._asked = 0
        self.forged = 0
        self.isolation = Isolation(level="process", start_method="fork")
        self.accelerator = "cpu"

    @property
    def printed(self) -> tuple[str, int]:
        """Nothing."""
        return "", 0

    def mute(self) -> None:
        """Do nothing: it prints nothing."""

    def close(self) -> Any:
        """Do nothing: there is no process."""

    def ask(self, request: dict[str, Any], limit_s: float) -> dict[str, Any]:
        """Answer as a worker's bytes would, once they are decoded."""
        del limit_s
        self._asked += 1
        if request["op"] == "load":
            return {"ok": True, "names": [], "notes": []}
        # As the worker gets it: encoded, so that nothing is shared with what the suite keeps.
        reply = self._executor.perform(_cross(request, keep_strides=True))
        message: Any = {"id": self._asked, "reply": reply}
        if self._random.random() < self._share:
            self.forged += 1
            for _ in range(self._random.choice([1, 1, 1, 2, 5])):
                message["reply"] = change(self._random, message["reply"])
        try:
            return self._check_reply(_cross(message))
        except ProtocolError as error:
            rationale = f"Your code disturbed the conversation with the grader ({error})."
            raise LearnerProblem(Verdict.CRASHED, rationale, type_name="ProtocolError") from None


def _cross(value: Any, *, keep_strides: bool = False) -> Any:
    header, payload = split_frame(pack_frame(value, keep_strides=keep_strides))
    return unpack_frame(header, payload, keep_strides=True) if keep_strides else unpack_received(header, payload)


class ForgingSandbox:
    """Starts forging workers."""

    start_method = "fork"

    def __init__(self) -> None:
        self.make: Callable[[], Worker]

    def start_worker(self, settings: Any, limits: Any, preload: Sequence[str] = ()) -> Worker:
        """Start one."""
        del settings, limits, preload
        return self.make()

    def wait_until_ready(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def faults_of(report: ScoreReport) -> list[str]:
    """Say what must not be in a report, whatever a worker answers."""
    checks = [check for exercise in report.exercises for check in exercise.checks]
    faults = [f"{check.id} is errored: {check.rationale}" for check in checks if check.verdict is Verdict.ERRORED]
    told = {"protocol", "unusual_answer"} & {flag.id for flag in report.flags}
    if any(check.verdict is Verdict.CRASHED for check in checks) and not told:
        faults.append("a check crashed without a flag")
    if not report.complete:
        faults.append("the report is incomplete")
    return faults


def main() -> None:
    """Count what becomes of the checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gradings", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--course", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    trees = open_course(arguments.course)
    course = load_course(trees)
    faults: list[str] = []

    def serve(suites: SuitePlugin) -> None:
        faults.extend(_forge(arguments, course, trees, suites))

    run_suites(trees.hidden, [exercise.id for exercise in course.exercises], serve)
    for fault in faults[:40]:
        print(f"fault: {fault}", file=sys.stderr)
    if faults:
        raise SystemExit(1)


def _forge(arguments: argparse.Namespace, course: Course, trees: Any, suites: SuitePlugin) -> list[str]:
    sandbox = ForgingSandbox()
    grader = SubmissionGrader(
        course=course, trees=trees, suites=suites, sandboxes=[sandbox], readable=(), hidden=(), working_directory="/"
    )
    executors: dict[str, Executor] = {}
    verdicts: collections.Counter[str] = collections.Counter()
    flags: collections.Counter[str] = collections.Counter()
    faults, forged = [], 0
    started, slowest = time.monotonic(), 0.0
    for number in range(arguments.gradings):
        exercise: Exercise = course.exercises[number % len(course.exercises)]
        random_ = random.Random(f"{arguments.seed} {number}")
        if exercise.id not in executors:
            text = trees.solution(exercise.id).read_text("utf-8")
            executors[exercise.id] = load_known_code(
                text, exercise.id, grader.stand_ins(exercise), course.settings.exercises
            )
        share = random_.choice([0.02, 0.1, 0.5])
        workers: list[ForgingWorker] = []

        def make(executor=executors[exercise.id], random_=random_, share=share, workers=workers) -> Worker:
            workers.append(ForgingWorker(executor, random_, share))
            return workers[-1]

        sandbox.make = make
        files = (
            SourceFile(path=f"{exercise.id}.py", cells=(Cell(text=trees.solution(exercise.id).read_text("utf-8")),)),
        )
        job = Job(
            submission=Submission(id="forger", files=files),
            entries=(Entry(exercise=exercise.id, path=f"{exercise.id}.py"),),
            seed=arguments.seed * 100_003 + number,
        )
        before = time.monotonic()
        try:
            report = grader.grade(job, _ignore)
        except BaseException:
            print(f"grading {number} of {exercise.id} ended by an exception", file=sys.stderr)
            raise
        slowest = max(slowest, time.monotonic() - before)
        forged += sum(worker.forged for worker in workers)
        flags.update(flag.id for flag in report.flags)
        verdicts.update(check.verdict.value for check in report.exercises[0].checks)
        faults += [f"grading {number}: {exercise.id}: {fault}" for fault in faults_of(report)]
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    print(f"{arguments.gradings} gradings with {forged} forged answers in {time.monotonic() - started:.0f} s: {told}")
    print(f"flags: {dict(flags)}; slowest {slowest:.1f} s; most memory of the process: {peak_mb} MB")
    return faults


def _ignore(event: Event) -> None:
    del event


if __name__ == "__main__":
    main()
