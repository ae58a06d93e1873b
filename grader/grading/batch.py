"""Grade what is still to be graded of a run, and keep each result as soon as it is there."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from grader.grading.engine import Attempted, LocalEngine
from grader.grading.errored import errored_report
from grader.grading.keys import content_key, grading_key, submission_seed
from grader.grading.messages import Job, Reading, ReadingDone
from grader.grading.readers import Readers
from grader.grading.store import Run, Store
from grader.model.classroom import HandIn
from grader.model.errors import RunnerError
from grader.model.outcome import Outcome, outcome_of
from grader.model.submission import Submission

_LOOK_S: Final = 0.2
"""How often to look whether somebody asked to stop."""
_LINKS: Final = 100
"""Known gradings that are linked in one transaction. A kill loses no more than that they are looked up again."""


class Step(NamedTuple):
    """What became of one student."""

    student: str
    outcome: Outcome
    reused: bool
    """Whether it had been graded before."""
    problem: str = ""
    """What the grader failed on; empty if it did not."""


@dataclass
class StopRequest:
    """Whether somebody asked to stop, as a signal's handler may."""

    asked: bool = False
    """Begin nothing new."""
    at_once: bool = False
    """Drop what is running, too."""


@dataclass(frozen=True)
class _Graded:
    """A submission that is being graded, and all who handed in the same."""

    submission: Submission
    content: str
    key: str
    seed: int
    students: list[str]


@dataclass
class Batch:
    """
    Takes a run's hand-ins through reading, grading and keeping; few are held at a time.

    Args:
        store: Keeps the results; this is the only one who writes.
        run: The run, with its number.
        readers: Read hand-ins.
        engine: Grades them.
        stop: Looked at between steps.
        tell: Is told of each student.
        text_of: Returns what a student handed in, where it has been read before.
    """

    store: Store
    run: Run
    readers: Readers
    engine: LocalEngine
    stop: StopRequest
    tell: Callable[[Step], None]
    text_of: Callable[[HandIn], Submission | None] | None = None
    _reading: "dict[Future[ReadingDone], HandIn]" = field(default_factory=dict)
    _grading: "dict[Future[Attempted], _Graded]" = field(default_factory=dict)
    _by_key: dict[str, _Graded] = field(default_factory=dict)
    _links: list[tuple[str, str, int]] = field(default_factory=list)

    def grade(self, hand_ins: Sequence[HandIn]) -> None:
        """
        Grade these, in order, until they are done or somebody asks to stop.

        Raises:
            GraderError: If going on is of no use: the store cannot be written, or the course or machine not be used.
        """
        waiting = iter(hand_ins)
        while not self.stop.at_once:
            self._begin_readings(waiting)
            if not self._reading and not self._grading:
                break
            futures: list[Future[Any]] = [*self._reading, *self._grading]
            for future in wait(futures, _LOOK_S, FIRST_COMPLETED).done:
                if future in self._reading:
                    self._decide(self._reading.pop(future), future.result())
                else:
                    self._keep(self._grading.pop(future), future.result())
        self._flush_links()

    def _begin_readings(self, waiting: Iterator[HandIn]) -> None:
        # No more than the runners will soon take, so that memory does not grow with the class.
        while len(self._reading) < 2 * self.readers.size and len(self._grading) < 2 * self.engine.jobs:
            hand_in = None if self.stop.asked else next(waiting, None)
            if hand_in is None:
                return
            text = self.text_of(hand_in) if self.text_of else None
            self._reading[self.readers.read(Reading(hand_in=hand_in, submission=text))] = hand_in

    def _decide(self, hand_in: HandIn, read: ReadingDone) -> None:
        """Grade what was read, unless that has been done."""
        student = hand_in.student.id
        run = self.run
        if read.submission is None:
            submission = Submission(id=student, notes=(read.problem,))
            content = content_key(submission)
            key = grading_key(content, run.course.digest, run.kit, run.seed, run.exercises)
            seed = submission_seed(run.seed, submission)
            self._keep(_Graded(submission, content, key, seed, [student]), Attempted(None, read.problem))
            return
        submission = read.submission
        content = content_key(submission)
        key = grading_key(content, run.course.digest, run.kit, run.seed, run.exercises)
        if key in self._by_key:
            self._by_key[key].students.append(student)
            return
        known = self.store.find_grading(key, made_in=run if run.again else None)
        if known is not None:
            self._links.append((student, content, known.id))
            if len(self._links) >= _LINKS:
                self._flush_links()
            self.tell(Step(student, known.outcome, reused=True))
            return
        if self.stop.asked:
            return
        job = Job(
            submission=submission,
            entries=tuple(entry for entry in read.entries if entry.exercise in run.exercises),
            seed=submission_seed(run.seed, submission),
            partial=len(run.exercises) < len(run.course.settings.exercises),
            steps=False,
        )
        graded = _Graded(submission, content, key, job.seed, [student])
        self._by_key[key] = graded
        self._grading[self.engine.grade(job)] = graded

    def _keep(self, graded: _Graded, attempted: Attempted) -> None:
        self._by_key.pop(graded.key, None)
        report = attempted.report or errored_report(
            self.run.course, self.run.exercises, graded.submission, graded.seed, attempted.problem
        )
        self.store.keep(
            self.run, graded.students, graded.submission, graded.content, graded.key, report, attempted.problem
        )
        outcome = outcome_of(report)
        for number, student in enumerate(graded.students):
            self.tell(Step(student, outcome, reused=number > 0, problem=attempted.problem))

    def _flush_links(self) -> None:
        self.store.link(self.run, self._links)
        self._links.clear()


def grade_all(batch: Batch, hand_ins: Sequence[HandIn]) -> None:
    """Run a batch and end its processes, whatever happens; see `Batch.grade`."""
    try:
        batch.grade(hand_ins)
    except BaseException:
        batch.stop.asked = batch.stop.at_once = True
        raise
    finally:
        with contextlib.suppress(RunnerError):
            batch.engine.close()
        batch.readers.close()
