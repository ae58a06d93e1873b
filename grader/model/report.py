"""A score report: what was checked, what came of it, and what to do next."""

from typing import Final, Literal

from pydantic import Field

from grader.model.base import Model
from grader.model.errors import IsolationError
from grader.model.feedback import FeedbackLevel
from grader.model.rubric import Category
from grader.model.submission import Flag, LearnerFrame
from grader.model.verdict import Verdict

SCHEMA_VERSION: Final = 1

IsolationLevel = Literal["strong", "basic", "process"]
"""``strong``: learners' code cannot read other files; ``basic``: it can; ``process``: only a separate process and a
clock."""
ISOLATION_LEVELS: Final[tuple[IsolationLevel, ...]] = ("strong", "basic", "process")
"""The levels, the best first."""


class Mismatch(Model):
    """How what came back differs from what was expected. Shows hidden values: for level ``full`` only."""

    kind: Literal["type", "shape", "dtype", "device", "nan", "value"]
    """The first of these that differs."""
    what: str
    """The name of the compared thing, such as ``attention_weights``."""
    index: dict[str, int] = Field(default_factory=dict)
    """Where the first difference is, by axis name: ``{"batch": 0, "seq_q": 1}``."""
    expected: str
    got: str
    detail: str = ""
    """How far it goes: how many entries differ, and by how much at most."""


class Measurement(Model):
    """A number that a check measured on the learner's code."""

    label: str
    value: float


class Observation(Model):
    """What a concept check saw: numbers and the sentence that they support."""

    numbers: tuple[Measurement, ...]
    sentence: str


class Diagnosis(Model):
    """A known mistake that the learner's answers are equal to."""

    misconception: str
    explanation: str
    look_at: str
    fact: str
    """What was compared and found equal, so that the claim can be checked."""


class CheckResult(Model):
    """What became of one check."""

    id: str
    title: str
    """The claim, as a sentence."""
    why: str = ""
    """Why the claim matters."""
    verdict: Verdict
    rationale: str = ""
    """What happened, in words that show no hidden value. Empty when it passed."""
    hint: str = ""
    """What to look at. Empty when it passed."""
    diagnosis: Diagnosis | None = None
    mismatch: Mismatch | None = None
    observation: Observation | None = None
    message: str = ""
    """The learner's exception with its own text, which may carry hidden inputs: for level ``full`` only."""
    traceback: tuple[LearnerFrame, ...] = ()
    """The learner's own frames, outermost first."""
    note: str = ""
    """A remark on a check that passed, such as what could not be judged."""
    seconds: float = 0.0


class CriterionResult(Model):
    """What became of one criterion."""

    id: str
    category: Category
    title: str
    score: float
    max_score: float
    """Zero when no check of it can be judged on this machine."""
    bonus: bool = False
    """Whether these points are in no total, but come on top."""
    checks: tuple[CheckResult, ...]


class ExerciseReport(Model):
    """What became of one exercise."""

    id: str
    title: str
    score: float
    max_score: float
    bonus: float = 0.0
    """Points earned on top; they are not in the score."""
    max_bonus: float = 0.0
    criteria: tuple[CriterionResult, ...]
    source: str = ""
    """The file that the promised names were taken from."""
    notes: tuple[str, ...] = ()
    """What the learner should know about how the code was read, such as a cell that failed."""
    output: str = ""
    """What the learner's code printed, warnings included, capped."""
    output_dropped: int = 0
    """Bytes of output beyond the cap."""
    seconds: float = 0.0

    @property
    def checks(self) -> tuple[CheckResult, ...]:
        """Every check, in the rubric's order."""
        return tuple(check for criterion in self.criteria for check in criterion.checks)

    def is_bonus(self, check: str) -> bool:
        """Whether a check decides bonus points alone."""
        # Most exercises have no bonus, and this is asked of every finding.
        return self.max_bonus > 0 and any(
            criterion.bonus and any(check == each.id for each in criterion.checks) for criterion in self.criteria
        )


class CourseStamp(Model):
    """Which course graded."""

    id: str
    title: str
    digest: str


class SubmissionStamp(Model):
    """What was graded."""

    id: str
    sha256: str
    files: tuple[str, ...]


class Isolation(Model):
    """How the learner's code was kept apart, as the worker said before any of that code ran."""

    level: IsolationLevel
    start_method: Literal["fork", "spawn"]
    layers: tuple[str, ...] = ()
    """The layers in force."""
    missing: tuple[str, ...] = ()
    """The layers that this machine did not give, each with the reason."""

    def demand(self, level: IsolationLevel | None) -> None:
        """
        Refuse to go on with less than a level.

        Args:
            level: The least that will do; None takes whatever there is.

        Raises:
            IsolationError: If this is less.
        """
        if level is None or ISOLATION_LEVELS.index(self.level) <= ISOLATION_LEVELS.index(level):
            return
        because = f" ({'; '.join(self.missing)})" if self.missing else ""
        raise IsolationError(
            f"{level} isolation was demanded, and this machine gives {self.level}{because}; no code was run. "
            f"`grade doctor` says what would help, and --require-isolation {self.level} accepts what there is."
        )


class Environment(Model):
    """What ran."""

    kit: str
    python: str
    torch: str
    platform: str
    device: str
    """The accelerator that parity was checked on, or ``cpu``."""
    isolation: Isolation | None = None
    """Empty when no worker was needed."""


class ScoreReport(Model):
    """The grading of one submission."""

    schema_version: Literal[1] = SCHEMA_VERSION
    course: CourseStamp
    submission: SubmissionStamp
    environment: Environment
    seed: int
    """Repeats the run exactly: ``--seed``."""
    feedback: FeedbackLevel = FeedbackLevel.FULL
    score: float
    max_score: float
    bonus: float = 0.0
    """Points earned on top; they are not in the score, and full marks do not need them."""
    max_bonus: float = 0.0
    complete: bool = True
    """False when a check is ``errored`` or not every exercise was graded: not a grade."""
    exercises: tuple[ExerciseReport, ...]
    notes: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    seconds: float = 0.0

    @property
    def full_marks(self) -> bool:
        """Whether everything that could be judged earned its points."""
        return self.complete and self.score >= self.max_score > 0
