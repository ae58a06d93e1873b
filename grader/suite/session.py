"""Hold one exercise's conversation with the learner's code, across as many workers as it takes."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from grader.model.course import Exercise
from grader.model.errors import IsolationError
from grader.model.report import Isolation, IsolationLevel
from grader.model.submission import FileKind, Flag, SourceFile
from grader.model.verdict import Verdict
from grader.sandbox.budget import Budget
from grader.sandbox.jail import JailSettings
from grader.sandbox.namespace import dotted_name
from grader.sandbox.problems import LearnerProblem
from grader.sandbox.processes import Sandbox, Worker
from grader.sandbox.remote import Conversation, Device, problem_from_reply
from grader.sandbox.stand_ins import StandIn
from grader.sandbox.wire import pack_text
from grader.suite.claims import Claims

Request = dict[str, Any]

_MOST_NOTES = 20
_TIME_IS_UP = "the time for the whole submission is used up."
_SEABORN = r"(?:import|from).*\bseaborn"
"""Each worker imports it anew, and the task itself mentions it."""


@dataclass
class ExerciseSession:
    """
    The learner's code of one exercise, loaded in a worker that is replaced when it dies.

    Args:
        sandbox: Starts the workers.
        jail: What a worker may use.
        exercise: The exercise.
        files: The submission's files.
        entry: Path of the file that the promised names come from.
        about_entry: What was noticed when that file was chosen, such as a name that is nearly the promised one.
        exercise_ids: All exercises of the course: their module names are the learner's.
        stand_ins: Stand-ins for what the exercise builds on.
        own_names: Names of stand-ins that are the learner's own where the entry defines them.
        unsearched: Path and name of each definition that was not searched, because a stand-in takes its place.
        budget: The time for the whole submission.
        not_here: Devices that this machine lacks, with the reason.
        require_isolation: The least isolation with which the code is loaded; whatever there is if None.
    """

    sandbox: Sandbox
    jail: JailSettings
    exercise: Exercise
    files: Sequence[SourceFile]
    entry: str
    exercise_ids: Sequence[str]
    stand_ins: Sequence[StandIn]
    budget: Budget
    about_entry: str = ""
    own_names: Sequence[str] = ()
    unsearched: Collection[tuple[str, str]] = ()
    not_here: dict[Device, str] = field(default_factory=dict)
    require_isolation: IsolationLevel | None = None
    isolation: Isolation | None = None
    accelerator: str = "cpu"
    notes: list[str] = field(default_factory=list)
    broken_cells: list[str] = field(default_factory=list)
    """Those of the notes that say why something of a notebook may not be there."""
    flags: list[Flag] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._worker: Worker | None = None
        self._timed_out: set[str] = set()
        self._load_problem: LearnerProblem | None = None
        self._printed: list[str] = []
        self._claims = Claims(self.files)
        self.dropped = 0

    def begin_check(self, seed: int) -> Conversation:
        """
        Make the learner's code ready for a check.

        Raises:
            LearnerProblem: If it cannot be: its import fails, or the submission's time is up. The first check to meet
                a failing import gets the full story, the later ones are skipped.
        """
        if self.budget.left_s() <= 0:
            raise LearnerProblem(Verdict.SKIPPED, f"Not run: {_TIME_IS_UP}")
        if self._load_problem is not None:
            raise LearnerProblem(Verdict.SKIPPED, f"Not run: {self.entry} could not be loaded, as said above.")
        if self._worker is None:
            self._start()
        limit_s = self.exercise.rubric.limits.training_s
        return Conversation(self.ask, seed, self._missing_devices(), limit_s)

    def ask(self, request: Request, name: str) -> dict[str, Any]:
        """Ask the worker about a promised name; see `Worker.ask`."""
        if name in self._timed_out:
            rationale = f"Not run: `{name}` has already taken too long, and would only do so again."
            raise LearnerProblem(Verdict.SKIPPED, rationale)
        assert self._worker is not None
        limit_s = self.exercise.rubric.limits.call_s
        try:
            return self._claims.clean(self._ask(self._worker, request, limit_s))
        except LearnerProblem as problem:
            self._forget_worker()
            if problem.verdict is not Verdict.TIMED_OUT or not name:
                raise
            self._timed_out.add(name)
            rationale = f"`{name}` did not finish within {limit_s:.3g} s: look for a loop that never ends."
            raise LearnerProblem(Verdict.TIMED_OUT, rationale) from None

    def ask_again(self, requests: Sequence[Request], *, afresh: bool) -> list[dict[str, Any]]:
        """
        Ask once more all that one check asked, when no check is left; what is printed meanwhile is dropped.

        Args:
            requests: What to ask.
            afresh: Whether to ask a worker that has been asked nothing yet, instead of the one that there is.

        Raises:
            LearnerProblem: If one of them gets no proper answer.
        """
        worker = None if afresh else self._worker
        fresh = None if worker else self._start_worker()
        worker = worker or fresh
        assert worker is not None
        worker.mute()
        try:
            if fresh:
                self._load(fresh)
            limit_s = self.exercise.rubric.limits.call_s
            return [self._claims.clean(self._ask(worker, request, limit_s)) for request in requests]
        finally:
            if fresh:
                fresh.close()

    def close(self) -> None:
        """Kill the worker and keep what it printed."""
        self._forget_worker()

    @property
    def printed(self) -> str:
        """What the learner's code printed, over all workers, at most the rubric's limit."""
        return "".join(self._printed)[: self.exercise.rubric.limits.output_kb << 10]

    def _start(self) -> None:
        try:
            self._start_loaded()
        except LearnerProblem as problem:
            if problem.verdict is Verdict.SKIPPED:
                raise  # the time is up, which says nothing of the file
            if problem.verdict in (Verdict.TIMED_OUT, Verdict.CRASHED) and self._starts_without_earlier_exercises():
                return
            self._load_problem = _while_loading(problem, self.entry)
            raise self._load_problem from None

    def _start_loaded(self) -> None:
        self._worker = self._start_worker()
        self.isolation, self.accelerator = self._worker.isolation, self._worker.accelerator
        try:
            reply = self._load(self._worker)
            self._keep_notes(reply)
            if not reply["ok"]:
                raise problem_from_reply(self._claims.clean(reply), self.entry, {"op": "load"})
        except LearnerProblem:
            self._forget_worker()
            raise

    def _starts_without_earlier_exercises(self) -> bool:
        """
        Try without the files of exercises for which there are stand-ins.

        A file that loops or ends the process when it is imported is a mistake in its own exercise, and costs nothing in
        those that build on it.
        """
        replaced = {stand_in.exercise for stand_in in self.stand_ins}
        left_out = [
            file for file in self.files if file.path != self.entry and PurePosixPath(file.path).stem in replaced
        ]
        if not left_out:
            return False
        everything, self.files = self.files, [file for file in self.files if file not in left_out]
        try:
            self._start_loaded()
        except LearnerProblem:
            self.files = everything
            return False
        names = ", ".join(file.path for file in left_out)
        self.notes.append(f"Left out, because importing it did not end well: {names}. A version that works stood in.")
        return True

    def _start_worker(self) -> Worker:
        worker = self.sandbox.start_worker(self.jail, self.exercise.rubric.limits, self._preload())
        self.budget.watch(worker)
        try:
            worker.isolation.demand(self.require_isolation)
        except IsolationError:
            worker.close()
            raise
        return worker

    def _load(self, worker: Worker) -> dict[str, Any]:
        submission = {
            "files": [
                [file.path, file.kind is FileKind.NOTEBOOK, [(cell.label, cell.text) for cell in file.cells]]
                for file in self.files
            ],
            "exercises": list(self.exercise_ids),
            "stand_ins": [[stand_in.exercise, list(stand_in.names), stand_in.text] for stand_in in self.stand_ins],
            "own_names": list(self.own_names),
            "unsearched": sorted(self.unsearched),
            "entry": self.entry,
        }
        request: Request = {"op": "load", "submission": pack_text(json.dumps(submission))}
        return self._ask(worker, request, self.exercise.rubric.limits.import_s)

    def _ask(self, worker: Worker, request: Request, limit_s: float) -> dict[str, Any]:
        """Ask under a limit, or with what is left of the submission's time, whose end is no call's fault."""
        left_s = max(0.01, self.budget.left_s())
        try:
            return worker.ask(request, min(limit_s, left_s))
        except LearnerProblem as problem:
            if problem.verdict is Verdict.TIMED_OUT and left_s < limit_s:
                raise LearnerProblem(Verdict.SKIPPED, f"Not run to the end: {_TIME_IS_UP}") from None
            raise

    def _keep_notes(self, reply: dict[str, Any]) -> None:
        notes = reply.get("notes")
        for note in notes if type(notes) is list else []:
            if type(note) is str and note[:300] not in self.notes and len(self.notes) < _MOST_NOTES:
                self.notes.append(note[:300])
                self.broken_cells.append(note[:300])

    def _preload(self) -> list[str]:
        """Libraries that are slow to import, or need files that a worker cannot reach, and that the files name."""
        text = "\n".join(file.text for file in self._within_reach())
        wanted = {"matplotlib.pyplot": r"matplotlib|pylab|seaborn", "seaborn": _SEABORN, "torch.optim": "optim"}
        return [module for module, words in wanted.items() if re.search(words, text)]

    def _within_reach(self) -> list[SourceFile]:
        """The entry, and each file or package whose name is a word in one of these: what is imported is among them."""
        reached = [file for file in self.files if file.path == self.entry]
        rest = [file for file in self.files if file.path != self.entry]
        for file in reached:  # which grows meanwhile
            words = set(re.findall(r"\w+", file.text))
            named = [other for other in rest if dotted_name(other.path).rpartition(".")[2] in words]
            rest = [other for other in rest if other not in named]
            reached += named
        return reached

    def _missing_devices(self) -> dict[Device, str]:
        missing = dict(self.not_here)
        if self.accelerator == "cpu":
            missing["accelerator"] = "This machine has no accelerator that the check could run on."
        return missing

    def _forget_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            printed, dropped = self._worker.printed
            self._printed.append(printed)
            self.dropped += dropped
            self._worker = None


def _while_loading(problem: LearnerProblem, entry: str) -> LearnerProblem:
    """Say that it happened at import: a stub's error there is no ``todo``, and a time-out means the file."""
    if problem.verdict is Verdict.TIMED_OUT:
        return LearnerProblem(
            Verdict.TIMED_OUT, f"Importing {entry} took too long. Code outside functions runs at import."
        )
    verdict = Verdict.RAISED if problem.verdict in (Verdict.TODO, Verdict.MISSING) else problem.verdict
    rationale = problem.rationale.replace("Your code raised", f"{entry} could not be imported: it raised")
    return LearnerProblem(verdict, rationale, problem.type_name, problem.message, problem.frames)
