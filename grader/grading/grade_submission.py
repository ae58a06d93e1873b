"""Grade one submission: run each exercise's checks on it and add up the rubric."""

import platform
import random
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

import torch

from grader import __version__
from grader.course.questions import load_questions
from grader.course.trees import CourseTrees
from grader.grading.known_code import read_fingerprints, read_stand_ins
from grader.grading.lanes import GradedExercise, run_lanes
from grader.grading.messages import CheckDone, Event, ExerciseDone, ExerciseStarted, Job
from grader.intake.locate import locate_entries
from grader.model.advice import MISTAKES
from grader.model.course import Course, Exercise
from grader.model.question import Question
from grader.model.report import (
    CheckResult,
    CourseStamp,
    Environment,
    ExerciseReport,
    IsolationLevel,
    ScoreReport,
    SubmissionStamp,
)
from grader.model.rubric import Criterion, Limits
from grader.model.scoring import score_exercise, total_of_criteria, total_of_exercises
from grader.model.submission import Entry, Flag, Submission
from grader.model.verdict import Verdict
from grader.sandbox import pretend_device
from grader.sandbox.budget import Budget
from grader.sandbox.jail import JailSettings
from grader.sandbox.problems import LearnerProblem
from grader.sandbox.processes import Sandbox
from grader.sandbox.remote import Conversation, Device, Exchange, Reply, Request
from grader.sandbox.stand_ins import StandIn
from grader.suite.answers import Answers, open_answers
from grader.suite.draw import Draw, seed_for
from grader.suite.fingerprint import Fingerprints, Transcript, replies_alike
from grader.suite.forbidden import Findings, Use, search_within_limits
from grader.suite.plugin import CheckRun, SuitePlugin
from grader.suite.session import ExerciseSession
from grader.suite.verdicts import result_of

UNUSUAL: Final = "unusual_answer"
"""The flag for answers that the grader's own code stumbles over."""
CHANGING: Final = "changing_answers"
"""The flag for answers that depend on which call it is."""
UNSEARCHED: Final = "unsearched"
"""The flag for code in which what the rubric forbids could not be looked for everywhere."""
_ASKED_AGAIN: Final = 3
_MOST_ASKED_AFRESH: Final = 8
_DIAGNOSABLE = frozenset({Verdict.FAILED, Verdict.RAISED})


@dataclass
class SubmissionGrader:
    """
    Grades submissions of one course with suites that were collected once.

    Args:
        course: The course.
        trees: Its files.
        suites: The collected checks.
        sandboxes: Start workers; one for each exercise that may be graded at the same time.
        readable: What workers may read.
        hidden: What they must not be able to read.
        working_directory: Where workers stand: empty and not theirs to write.
        layers_off: Isolation layers not to use.
        require_isolation: The least isolation with which learners' code is run; whatever there is if None.
    """

    course: Course
    trees: CourseTrees
    suites: SuitePlugin
    sandboxes: Sequence[Sandbox]
    readable: tuple[str, ...]
    hidden: tuple[str, ...]
    working_directory: str
    layers_off: frozenset[str] = frozenset()
    require_isolation: IsolationLevel | None = None
    _fingerprints: dict[str, Fingerprints] = field(default_factory=dict)
    _stand_ins: dict[str, list[StandIn]] = field(default_factory=dict)
    _questions: dict[str, tuple[Question, ...]] = field(default_factory=dict)
    _has_graded: bool = False
    """Whether this very process has opened a session, so that it may have computed gradients."""

    def try_isolation(self) -> None:
        """
        Start a worker that gets no code, if a level is demanded: to refuse before anything is graded.

        Each later worker is asked the same, since what one machine gives may change.

        Raises:
            IsolationError: If it has less.
        """
        if self.require_isolation is not None:
            worker = self.sandboxes[0].start_worker(self.jail_settings(Limits()), Limits())
            worker.close()
            worker.isolation.demand(self.require_isolation)

    def jail_settings(self, limits: Limits, checks: int = 1) -> JailSettings:
        """Return what a worker may use for an exercise with these limits and so many checks."""
        return JailSettings(
            readable=self.readable,
            hidden=self.hidden,
            working_directory=self.working_directory,
            cpu_s=int(limits.import_s + limits.call_s * checks) + 1,
            memory_mb=limits.memory_mb,
            off=self.layers_off,
        )

    def grade(self, job: Job, emit: Callable[[Event], None]) -> ScoreReport:
        """Grade one submission; ``emit`` is told of each step."""
        started = time.monotonic()
        results = self._grade_exercises(job, Budget(self.course.settings.submission_s), emit)
        exercises = tuple(result.report for result in results)
        checks = [check for exercise in exercises for check in exercise.checks]
        total = total_of_exercises(exercises)
        return ScoreReport(
            course=CourseStamp(id=self.course.settings.id, title=self.course.settings.title, digest=self.course.digest),
            submission=SubmissionStamp(
                id=job.submission.id,
                sha256=job.submission.sha256,
                files=tuple(file.path for file in job.submission.files),
            ),
            environment=Environment(
                kit=__version__,
                python=platform.python_version(),
                torch=torch.__version__,
                platform=f"{platform.system()} {platform.machine()}",
                device=next((result.accelerator for result in results if result.accelerator != "cpu"), "cpu"),
                isolation=next((result.isolation for result in results if result.isolation), None),
            ),
            seed=job.seed,
            score=total.score,
            max_score=total.max_score,
            bonus=total.bonus,
            max_bonus=total.max_bonus,
            complete=not any(check.verdict is Verdict.ERRORED for check in checks),
            exercises=exercises,
            notes=_notes(job),
            flags=(*job.submission.flags, *(flag for result in results for flag in result.flags)),
            seconds=time.monotonic() - started,
        )

    def _grade_exercises(self, job: Job, budget: Budget, emit: Callable[[Event], None]) -> list[GradedExercise]:
        """Return the results in the order of the job's entries."""
        # Stopping at the first mistake only makes sense one after another.
        lanes = 1 if job.fail_fast else min(len(self.sandboxes), len(job.entries))
        order = list(range(len(job.entries)))
        if lanes > 1:  # what takes longest first, so that no lane is left with it at the end
            order.sort(key=lambda number: -len(self.course.exercise(job.entries[number].exercise).claims))
        run = _SubmissionRun(self, job, budget, emit)
        here = True
        if len(self.sandboxes) > 1:
            for sandbox in self.sandboxes:
                sandbox.wait_until_ready()
            if not self.sandboxes[0].gradients_survive_forks:
                # This process may be forked as long as it has computed none: so it lets forks do everything.
                here, lanes = self._has_graded, 1 if self._has_graded else lanes
        return run_lanes(
            order, lanes, lambda lane, number: run.grade_exercise(job.entries[number], self.sandboxes[lane]), here=here
        )

    def answers(self, exercise: Exercise, job: Job) -> Answers:
        """Return what was predicted in a submission for an exercise."""
        if not exercise.has_questions:
            return Answers()
        if exercise.id not in self._questions:
            self._questions[exercise.id] = load_questions(self.trees, exercise.id)
        return open_answers(self._questions[exercise.id], job.submission.answers_for(exercise.id), job.seed)

    def open_session(
        self,
        exercise: Exercise,
        submission: Submission,
        entry: Entry,
        sandbox: Sandbox,
        budget: Budget,
        unsearched: Collection[tuple[str, str]] = (),
    ) -> ExerciseSession:
        """
        Return a session with a submission's code for an exercise, which a file provides.

        Args:
            exercise: The exercise.
            submission: What was handed in.
            entry: Which file provides the exercise.
            sandbox: Starts the workers.
            budget: The time for the whole submission.
            unsearched: Definitions that a search for what is forbidden left out, because a stand-in takes their place.
        """
        assert entry.path is not None
        self._has_graded = True
        not_here: dict[Device, str] = {}
        if not pretend_device.available():
            not_here["pretend"] = f"Device mistakes cannot be looked for: {pretend_device.unavailable_reason()}."
        return ExerciseSession(
            sandbox=sandbox,
            jail=self.jail_settings(exercise.rubric.limits, len(exercise.rubric.checks)),
            require_isolation=self.require_isolation,
            exercise=exercise,
            files=submission.files,
            entry=entry.path,
            exercise_ids=self.course.settings.exercises,
            stand_ins=self.stand_ins(exercise),
            own_names=self.own_names(exercise, submission, entry.path),
            unsearched=unsearched,
            budget=budget,
            about_entry=entry.note,
            not_here=not_here,
        )

    def stand_ins(self, exercise: Exercise) -> list[StandIn]:
        """Return the stand-ins for what an exercise builds on, read at most once."""
        if exercise.id not in self._stand_ins:
            self._stand_ins[exercise.id] = read_stand_ins(self.trees, exercise)
        return self._stand_ins[exercise.id]

    def own_names(self, exercise: Exercise, submission: Submission, path: str) -> list[str]:
        """
        Return the promised names of earlier exercises that no stand-in replaces where an exercise's file defines them.

        In the exercise's own module that is all of them: what is written there answers this exercise, and may do
        something else under the name. A notebook, or a file that holds several exercises, answers an earlier exercise
        as well if that is graded from it.
        """
        stand_ins = self.stand_ins(exercise)
        if PurePosixPath(path).name == f"{exercise.id}.py":
            answered: set[str] = set()
        else:
            entries = locate_entries(submission, {other.exercise: other.names for other in stand_ins})
            answered = {entry.exercise for entry in entries.values() if entry.path == path}
        return [name for other in stand_ins if other.exercise not in answered for name in other.names]

    def fingerprints(self, exercise: Exercise) -> Fingerprints:
        """Return the known mistakes of an exercise, loaded at most once."""
        if exercise.id not in self._fingerprints:
            self._fingerprints[exercise.id] = read_fingerprints(
                self.trees, exercise, self.stand_ins(exercise), self.course.settings.exercises
            )
        return self._fingerprints[exercise.id]


@dataclass
class _SubmissionRun:
    """The state of grading exercises of one submission, one after another."""

    grader: SubmissionGrader
    job: Job
    budget: Budget
    emit: Callable[[Event], None]
    stopped: bool = False

    def grade_exercise(self, entry: Entry, sandbox: Sandbox) -> GradedExercise:
        exercise = self.grader.course.exercise(entry.exercise)
        started = time.monotonic()
        self.emit(
            ExerciseStarted(exercise=exercise.id, title=exercise.rubric.title, checks=len(exercise.rubric.checks))
        )
        notes = [entry.note] if entry.note else []
        session: ExerciseSession | None = None
        answers = self.grader.answers(exercise, self.job)
        results: dict[str, CheckResult]
        if entry.path is None:
            reason = entry.note or f"No file provides {exercise.id}."
            results = self._without_code(exercise, answers, Verdict.MISSING, reason)
        else:
            found = self._find_forbidden(exercise, entry.path)
            if found.uses:
                results = self._without_code(exercise, answers, Verdict.BLOCKED, _why_blocked(exercise, found.uses[0]))
            else:
                session = self.grader.open_session(
                    exercise, self.job.submission, entry, sandbox, self.budget, found.unsearched
                )
                if found.cut_short:
                    what = f"What is not allowed in {exercise.id} could not be looked for in all of the code"
                    _flag(session, UNSEARCHED, f"{what}: {found.cut_short}")
                try:
                    results = self._run_checks(exercise, session, answers)
                finally:
                    session.close()
                notes += session.notes
        criteria = score_exercise(exercise, results)
        total = total_of_criteria(criteria)
        report = ExerciseReport(
            id=exercise.id,
            title=exercise.rubric.title,
            score=total.score,
            max_score=total.max_score,
            bonus=total.bonus,
            max_bonus=total.max_bonus,
            criteria=criteria,
            source=entry.path or "",
            notes=tuple(notes),
            output=session.printed if session else "",
            output_dropped=session.dropped if session else 0,
            seconds=time.monotonic() - started,
        )
        self.emit(ExerciseDone(report=report))
        if session is None:
            return GradedExercise(report=report)
        return GradedExercise(
            report=report,
            flags=tuple(session.flags),
            isolation=session.isolation,
            accelerator=session.accelerator,
        )

    def _run_checks(self, exercise: Exercise, session: ExerciseSession, answers: Answers) -> dict[str, CheckResult]:
        criteria = {check: criterion for criterion in exercise.rubric.criteria for check in criterion.checks}
        results: dict[str, CheckResult] = {}
        transcripts: dict[str, Transcript] = {}
        for check in exercise.claims:
            reason = self._reason_to_skip(exercise, check, results)
            if reason:
                results[check] = self._plain_result(exercise, check, Verdict.SKIPPED, reason)
            elif not self.grader.suites.needs_code(exercise.id, check):
                results[check] = self._judge_prediction(exercise, check, answers)
            else:
                results[check] = self._run_check(exercise, check, criteria[check], session, answers, transcripts)
            self.emit(CheckDone(exercise=exercise.id, result=results[check]))
            if self.job.fail_fast and results[check].verdict in MISTAKES:
                self.stopped = True
        self._look_for_changing_answers(exercise, session, results, transcripts)
        failed = [check for check in transcripts if results[check].verdict in _DIAGNOSABLE]
        if failed:
            scored = score_exercise(exercise, results)
            earned = {criterion.id for criterion in scored if criterion.score >= criterion.max_score > 0}
            of_checks = {check: criterion.id for check, criterion in criteria.items()}
            try:
                found = self.grader.fingerprints(exercise).diagnose(transcripts, of_checks, failed, earned)
            except Exception:  # noqa: BLE001 - what code claims of itself may be beyond comparing, and must not end the run
                _flag(
                    session,
                    UNUSUAL,
                    f"The answers of the code for {exercise.id} cannot be compared with known mistakes",
                )
                found = {}
            for check, diagnosis in found.items():
                results[check] = results[check].model_copy(update={"diagnosis": diagnosis})
        return results

    def _look_for_changing_answers(
        self,
        exercise: Exercise,
        session: ExerciseSession,
        results: dict[str, CheckResult],
        transcripts: dict[str, Transcript],
    ) -> None:
        """Ask once more what passed checks asked, when code that counts its calls stands elsewhere."""
        whole = [
            check for check, said in transcripts.items() if said.is_whole and results[check].verdict is Verdict.PASSED
        ]
        if not whole:
            return
        # By chance, as the inputs are: no check is sure not to be asked again.
        chance = random.Random(seed_for(self.job.seed, exercise.id, "asked again"))
        some = chance.sample(whole, min(_ASKED_AGAIN, len(whole)))
        short = min(some, key=lambda check: transcripts[check].calls)
        alike = self._answers_alike(session, transcripts[short].exchanges, afresh=False)
        # Code that keeps its answers repeats them as long as its process lives. A new one takes longer than the rest,
        # so it is for one exercise of a submission, and only where a worker starts in milliseconds.
        meant = random.Random(self.job.seed).choice(self.job.entries).exercise
        if alike and exercise.id == meant and session.sandbox.start_method == "fork":
            exchanges = [exchange for check in some for exchange in transcripts[check].exchanges]
            alike = self._answers_alike(session, exchanges[:_MOST_ASKED_AFRESH], afresh=True)
        if not alike:
            _flag(session, CHANGING, f"The code for {exercise.id} answers the same call differently at another time")

    def _answers_alike(self, session: ExerciseSession, exchanges: Sequence[Exchange], *, afresh: bool) -> bool:
        requests = [exchange.request for exchange in exchanges]
        # A system that is short of memory kills whom it likes, so that counts only if it happens twice.
        for in_new_worker, is_last in ((afresh, False), (True, True)):
            if self.budget.left_s() <= 0:
                return True
            try:
                again = session.ask_again(requests, afresh=in_new_worker)
            except LearnerProblem as problem:
                if problem.perhaps_killed and not is_last:
                    continue
                return problem.verdict in (Verdict.TIMED_OUT, Verdict.SKIPPED)  # a busy machine, or no time left
            return all(_same_answer(now, exchange.reply) for now, exchange in zip(again, exchanges, strict=True))
        raise AssertionError("the last try always returns")

    def _reason_to_skip(self, exercise: Exercise, check: str, results: dict[str, CheckResult]) -> str:
        if self.stopped:
            return "Not run: an earlier check failed, and you asked to stop there."
        for other in self.grader.suites.depends_on(exercise.id, check):
            if results[other].verdict is not Verdict.PASSED:
                return f"Not run: it would only repeat the news of “{results[other].title}”"
        return ""

    def _run_check(
        self,
        exercise: Exercise,
        check: str,
        criterion: Criterion,
        session: ExerciseSession,
        answers: Answers,
        transcripts: dict[str, Transcript],
    ) -> CheckResult:
        started = time.monotonic()
        claim = exercise.claims[check]
        seed = seed_for(self.job.seed, exercise.id, check)
        try:
            conversation = session.begin_check(seed)
        except LearnerProblem as problem:
            _flag_disturbance(session, problem)
            return result_of(claim, problem, None, hint="")  # of code that cannot be loaded no idea can be told
        run = CheckRun(conversation, Draw(seed), answers)
        self.grader.suites.run_check(exercise.id, check, run)
        if run.error is None and not run.finished:
            run.error = RuntimeError("the check did not run")
        result = result_of(claim, run.error, run.observation, criterion.hint)
        if result.verdict is Verdict.MISSING:
            why = (session.about_entry, *session.broken_cells[:1])
            result = result.model_copy(update={"rationale": " ".join((result.rationale, *filter(None, why)))})
        transcripts[check] = Transcript(conversation.exchanges, run.draw.remembered)
        _flag_disturbance(session, run.error)
        if (
            result.verdict is Verdict.ERRORED
            and conversation.answered
            and self._copes_with_solution(exercise, check, seed, answers)
        ):
            _flag(session, UNUSUAL, f"An answer of the code for {exercise.id} makes a check stumble")
            rationale = f"The check could not deal with an answer of your code ({type(run.error).__name__})."
            result = result.model_copy(
                update={"verdict": Verdict.CRASHED, "rationale": rationale, "hint": criterion.hint}
            )
        return result.model_copy(update={"seconds": time.monotonic() - started})

    def _judge_prediction(self, exercise: Exercise, check: str, answers: Answers) -> CheckResult:
        """Run a check that asks nothing of the learner's code, so that it counts whatever became of the code."""
        started = time.monotonic()
        criterion = next(criterion for criterion in exercise.rubric.criteria if check in criterion.checks)
        seed = seed_for(self.job.seed, exercise.id, check)
        run = CheckRun(Conversation(_ask_nothing, seed), Draw(seed), answers)
        self.grader.suites.run_check(exercise.id, check, run)
        result = result_of(exercise.claims[check], run.error, run.observation, criterion.hint)
        return result.model_copy(update={"seconds": time.monotonic() - started})

    def _copes_with_solution(self, exercise: Exercise, check: str, seed: int, answers: Answers) -> bool:
        """
        Whether a check that failed in a way of its own does not do so when the course's own solution is asked.

        Then it is an answer that it stumbled over, and not the machine or the suite that is at fault.
        """
        executor = self.grader.fingerprints(exercise).reference

        def ask(request: Request, name: str) -> Reply:
            del name
            return executor.perform(request)

        not_here: dict[Device, str] = {"accelerator": "Only to see whether the check itself works."}
        run = CheckRun(Conversation(ask, seed, not_here=not_here), Draw(seed), answers)
        self.grader.suites.run_check(exercise.id, check, run)
        claim = exercise.claims[check]
        return run.finished and result_of(claim, run.error, run.observation, "").verdict is not Verdict.ERRORED

    def _find_forbidden(self, exercise: Exercise, path: str) -> Findings:
        submission, forbids = self.job.submission, exercise.rubric.forbids
        if not self.job.enforce_forbids or not forbids:
            return Findings([])
        own_names = self.grader.own_names(exercise, submission, path)
        stand_ins = self.grader.stand_ins(exercise)
        return search_within_limits(submission.files, path, exercise.promises, forbids, stand_ins, own_names)

    def _without_code(
        self, exercise: Exercise, answers: Answers, verdict: Verdict, rationale: str
    ) -> dict[str, CheckResult]:
        """Give all checks of code the same verdict; predictions are judged all the same."""
        results = {
            check: self._plain_result(exercise, check, verdict, rationale)
            if self.grader.suites.needs_code(exercise.id, check)
            else self._judge_prediction(exercise, check, answers)
            for check in exercise.claims
        }
        for result in results.values():
            self.emit(CheckDone(exercise=exercise.id, result=result))
        return results

    @staticmethod
    def _plain_result(exercise: Exercise, check: str, verdict: Verdict, rationale: str) -> CheckResult:
        claim = exercise.claims[check]
        return CheckResult(id=check, title=claim.title, why=claim.why, verdict=verdict, rationale=rationale)


def _ask_nothing(request: Request, name: str) -> Reply:
    raise AssertionError(f"a check without the fixture learner asked for {name or request['op']}")


def _why_blocked(exercise: Exercise, use: Use) -> str:
    why = next((forbidden.why for forbidden in exercise.rubric.forbids if forbidden.name == use.name), "")
    return f"`{use.name}` is not allowed here, but is {use.how} in {use.path}, line {use.line}. {why}".strip()


def _flag_disturbance(session: ExerciseSession, error: BaseException | None) -> None:
    if isinstance(error, LearnerProblem) and error.type_name == "ProtocolError":
        _flag(session, "protocol", f"The code for {session.exercise.id} sent something that is no answer")


def _flag(session: ExerciseSession, kind: str, what: str) -> None:
    flag = Flag(id=kind, message=f"{what}; somebody should read it.")
    if flag not in session.flags:
        session.flags.append(flag)


def _same_answer(now: Reply, before: Reply | None) -> bool:
    """Whether two answers of one code to one request say the same; refusing is refusing, in whatever words."""
    before = before or {}
    if not now["ok"]:
        return before.get("ok") is False
    try:
        return replies_alike(now, before)
    except Exception:  # noqa: BLE001 - what code says may be beyond comparing, and must not end the run
        return False


def _notes(job: Job) -> tuple[str, ...]:
    unreadable: Iterable[str] = (f"{file.path}: {file.reason}" for file in job.submission.unreadable)
    partial = ("Only a part of the course was graded.",) if job.partial else ()
    return (*partial, *job.submission.notes, *unreadable)
