"""Grade many submissions at a time on this machine, and survive whatever happens to a runner."""

import queue
import tempfile
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.grading.client import Runner
from grader.grading.messages import Graded, Job, RunnerSettings
from grader.model.course import Course
from grader.model.errors import RunnerError
from grader.model.report import ScoreReport
from grader.model.verdict import Verdict
from grader.sandbox.budget import MOST_STARVED

_MOST_RUNS_MORE: Final = 2
"""How often a submission is graded again because of crashes that may be somebody else's fault."""


@dataclass(frozen=True)
class Attempted:
    """What came of grading one submission."""

    report: ScoreReport | None
    """None if no runner came to its end; incomplete if one did but failed at a check."""
    problem: str = ""
    """What the grader failed on; empty if it did not."""


class LocalEngine:
    """
    Runners on this machine, started when they are needed and warm from then on.

    Args:
        settings: The course and how to isolate.
        course: The course.
        jobs: How many submissions are graded at the same time.
        patience_s: When a runner that has not answered is ended; by the course's own limit for a submission if None.
    """

    def __init__(self, settings: RunnerSettings, course: Course, jobs: int, patience_s: float | None = None) -> None:
        # One for all runners, which would leave theirs behind when they are killed.
        self._folder = tempfile.TemporaryDirectory(prefix="attention-dojo-")
        Path(self._folder.name).chmod(0o555)
        self._settings = settings.model_copy(update={"working_directory": self._folder.name})
        self._course = course
        # The runner itself keeps to the limit, which lasts longer on a busy machine; this is for one that cannot, and
        # leaves time to start and to explain.
        longest_s = (1 + MOST_STARVED) * course.settings.submission_s
        self._patience_s = longest_s + course.settings.submission_s + 60 if patience_s is None else patience_s
        self._idle: queue.SimpleQueue[Runner] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._all: set[Runner] = set()
        self._stopped = False
        self._succeeded = False
        self._failures = 0
        self._threads = ThreadPoolExecutor(jobs, "runner")
        self.jobs = jobs

    def grade(self, job: Job) -> "Future[Attempted]":
        """
        Begin to grade a submission.

        The future raises `CourseError` or `IsolationError` if nothing can be graded here, and `RunnerError` if runners
        have failed at everything so far: then going on is of no use.
        """
        return self._threads.submit(self._grade, job)

    def close(self) -> None:
        """End all runners; what is being graded is dropped, and raises `RunnerError`."""
        with self._lock:
            self._stopped = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        while not self._idle.empty():
            runner = self._idle.get()
            self._all.discard(runner)
            runner.close()  # in order, so that it removes what it made
        for runner in list(self._all):
            runner.kill()
        self._threads.shutdown()
        for runner in list(self._all):
            runner.close()
        self._all.clear()
        self._folder.cleanup()

    def _grade(self, job: Job) -> Attempted:
        last = Attempted(None)
        for _ in range(2):
            last = self._grade_once(job)
            if not last.problem:
                self._succeeded = True
                return last
            self._failures += 1
            if not self._succeeded and self._failures > 2 * self.jobs + 2:
                raise RunnerError(f"no submission could be graded. The last problem: {last.problem}")
        return last

    def _grade_once(self, job: Job) -> Attempted:
        runner = self._take()
        try:
            report = self._run(runner, job)
            # A process can be killed from outside, such as by a system short of memory: only a crash that happens
            # again, at the same check, is the code's own.
            before = frozenset[tuple[str, str]]()
            for _ in range(_MOST_RUNS_MORE):
                crashed = _crashed(report)
                if not report.complete or crashed <= before:
                    break
                before, report = crashed, self._run(runner, job)
        except RunnerError as error:
            self._drop(runner)
            if self._stopped:
                raise
            return Attempted(None, str(error))
        except BaseException:
            self._drop(runner)
            raise
        if not report.complete:
            # What made a check fail to run may still be there in this runner.
            self._drop(runner)
            return Attempted(report, _first_problem(report))
        self._idle.put(runner)
        return Attempted(report)

    def _run(self, runner: Runner, job: Job) -> ScoreReport:
        for event in runner.grade(job, time.monotonic() + self._patience_s):
            if isinstance(event, Graded):
                return event.report
        raise RunnerError("the grading process gave no report")

    def _take(self) -> Runner:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            pass
        with self._lock:
            if self._stopped:
                raise RunnerError("grading was stopped")
            runner = Runner(self._settings, self._course)
            self._all.add(runner)
        return runner

    def _drop(self, runner: Runner) -> None:
        with self._lock:
            self._all.discard(runner)
        runner.kill()
        runner.close()


def _crashed(report: ScoreReport) -> frozenset[tuple[str, str]]:
    """Return exercise and check of each crash."""
    checks = ((exercise.id, check) for exercise in report.exercises for check in exercise.checks)
    return frozenset((exercise, check.id) for exercise, check in checks if check.verdict is Verdict.CRASHED)


def _first_problem(report: ScoreReport) -> str:
    return next(
        f"{exercise.id}, {check.id}: {check.rationale}"
        for exercise in report.exercises
        for check in exercise.checks
        if check.verdict is Verdict.ERRORED
    )
