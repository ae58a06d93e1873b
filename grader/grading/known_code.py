"""Run the checks of a suite on code that is known, in this process: a worker guards against strangers, and costs time.

The same executor answers as in a worker, and every answer goes through the same frames.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.course.load import load_chaffs
from grader.course.source import parse_python, promised_names
from grader.course.trees import CourseTrees
from grader.model.course import Exercise
from grader.model.report import CheckResult
from grader.model.verdict import Verdict
from grader.sandbox import pretend_device
from grader.sandbox.executor import Reply, Request
from grader.sandbox.remote import Conversation, Device
from grader.sandbox.stand_ins import StandIn
from grader.sandbox.wire import MAX_REPLY, pack_frame, split_frame, unpack_frame
from grader.suite.answers import Answers
from grader.suite.draw import Draw, seed_for
from grader.suite.fingerprint import Fingerprints, Transcript, load_known_code
from grader.suite.plugin import CheckRun, SuitePlugin
from grader.suite.verdicts import result_of


def read_stand_ins(trees: CourseTrees, exercise: Exercise) -> list[StandIn]:
    """Return the stand-ins for what an exercise builds on."""
    return [
        StandIn(
            other,
            promised_names(parse_python(trees.stub(other), f"exercises/{other}.py")),
            trees.stand_in(other).read_text("utf-8"),
        )
        for other in exercise.rubric.builds_on
    ]


def read_fingerprints(
    trees: CourseTrees, exercise: Exercise, stand_ins: Sequence[StandIn], exercise_ids: Sequence[str]
) -> Fingerprints:
    """Return the known mistakes of an exercise, each of which is read when it is first asked."""
    return Fingerprints(
        exercise_id=exercise.id,
        chaffs=lambda: load_chaffs(trees, exercise.rubric),
        code=lambda chaff_id: trees.chaff(exercise.id, chaff_id).read_text("utf-8"),
        solution=trees.solution(exercise.id).read_text("utf-8"),
        stand_ins=stand_ins,
        exercise_ids=exercise_ids,
    )


@dataclass
class KnownCode:
    """
    One piece of known code under the checks of its exercise, each run at most once and when it is asked for.

    Args:
        suites: The collected checks.
        exercise: The exercise.
        text: The code.
        seed: The run's seed.
        stand_ins: What the exercise builds on.
        exercise_ids: All exercises of the course.
        answers: Predictions that come with it.
    """

    suites: SuitePlugin
    exercise: Exercise
    text: str
    seed: int
    stand_ins: Sequence[StandIn]
    exercise_ids: Sequence[str]
    answers: Answers = field(default_factory=Answers)
    transcripts: dict[str, Transcript] = field(default_factory=dict)
    """What the checks that ran asked and were answered."""

    def __post_init__(self) -> None:
        self._executor = load_known_code(self.text, self.exercise.id, self.stand_ins, self.exercise_ids)
        self._results: dict[str, CheckResult] = {}
        self._not_here: dict[Device, str] = {"accelerator": "Known code runs on the CPU."}
        if not pretend_device.available():
            self._not_here["pretend"] = pretend_device.unavailable_reason()

    def loses(self, criterion_id: str) -> bool:
        """Whether a criterion is lost; no check is run after the first that settles it."""
        criterion = next(criterion for criterion in self.exercise.rubric.criteria if criterion.id == criterion_id)
        results = (self.result(check) for check in self.exercise.claims if check in criterion.checks)
        return any(result.verdict not in (Verdict.PASSED, Verdict.NOT_ASSESSED) for result in results)

    def result(self, check: str) -> CheckResult:
        """Return what comes of a check, as in a grading: not run where one that it depends on is not passed."""
        if check not in self._results:
            needed = self.suites.depends_on(self.exercise.id, check)
            if all(self.result(other).verdict is Verdict.PASSED for other in needed):
                self._results[check] = self._run(check)
            else:
                claim = self.exercise.claims[check]
                self._results[check] = CheckResult(id=check, title=claim.title, verdict=Verdict.SKIPPED)
        return self._results[check]

    def _run(self, check: str) -> CheckResult:
        seed = seed_for(self.seed, self.exercise.id, check)
        conversation = Conversation(self._ask, seed, not_here=self._not_here)
        run = CheckRun(conversation, Draw(seed), self.answers)
        self.suites.run_check(self.exercise.id, check, run)
        self.transcripts[check] = Transcript(conversation.exchanges, run.draw.remembered)
        return result_of(self.exercise.claims[check], run.error, run.observation, "")

    def _ask(self, request: Request, _: str) -> Reply:
        reply = unpack_frame(*split_frame(pack_frame(self._executor.perform(request), most=MAX_REPLY)))
        assert isinstance(reply, dict)
        return reply
