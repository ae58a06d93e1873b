"""What the command line and a runner say to each other, one JSON line a message."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from grader.model.base import Model
from grader.model.classroom import HandIn
from grader.model.picture import DrawnPicture, PictureForm
from grader.model.report import CheckResult, ExerciseReport, IsolationLevel, ScoreReport
from grader.model.submission import Entry, Submission


class RunnerSettings(Model):
    """The first line that a runner reads."""

    course: str
    """Root of the course."""
    only: tuple[str, ...] = ()
    """Exercises to load; all if empty."""
    start_method: Literal["auto", "fork", "spawn"] = "auto"
    lanes: int = Field(default=1, ge=1)
    """How many exercises of one submission may be graded at the same time; more than one needs ``fork``."""
    require_isolation: IsolationLevel | None = None
    """Run no learner's code with less than this; None takes whatever the machine gives."""
    working_directory: str = ""
    """Where workers stand: an empty folder of whoever started the runner; one of its own if empty."""
    layers_off: tuple[str, ...] = ()
    """Isolation layers not to use, to see what each is for."""


class Job(Model):
    """Grade one submission."""

    kind: Literal["grade"] = "grade"
    submission: Submission
    entries: tuple[Entry, ...]
    """The exercises to grade, in teaching order."""
    seed: int
    fail_fast: bool = False
    enforce_forbids: bool = True
    """Off for stand-ins alone: they are written with what learners must not use."""
    partial: bool = False
    """Whether exercises of the course were left out on purpose, so that the report is no grade of the whole."""
    steps: bool = True
    """Whether to tell of each step; for a class only the report matters."""


class ShowJob(Model):
    """Draw what one submission's code does."""

    kind: Literal["show"] = "show"
    submission: Submission
    entries: tuple[Entry, ...]
    """The exercises to draw."""
    form: PictureForm
    only: str = ""
    """The one picture to draw; all if empty."""
    columns: int = 80
    """How wide a picture for a terminal may be, in characters."""


AnyJob = Annotated[Job | ShowJob, Field(discriminator="kind")]
ANY_JOB: TypeAdapter[AnyJob] = TypeAdapter(AnyJob)


class Ready(Model):
    """The suites are collected."""

    kind: Literal["ready"] = "ready"


class ExerciseStarted(Model):
    """The checks of an exercise begin."""

    kind: Literal["exercise_started"] = "exercise_started"
    exercise: str
    title: str
    checks: int


class CheckDone(Model):
    """A check has its result."""

    kind: Literal["check_done"] = "check_done"
    exercise: str
    result: CheckResult


class ExerciseDone(Model):
    """An exercise has its score."""

    kind: Literal["exercise_done"] = "exercise_done"
    report: ExerciseReport


class Graded(Model):
    """The submission has its report; the runner waits for the next job."""

    kind: Literal["graded"] = "graded"
    report: ScoreReport


class Shown(Model):
    """All pictures are drawn; the runner waits for the next job."""

    kind: Literal["shown"] = "shown"
    pictures: tuple[DrawnPicture, ...]


class RunnerFailed(Model):
    """The runner cannot go on."""

    kind: Literal["failed"] = "failed"
    message: str
    fault: Literal["runner", "course", "isolation"] = "runner"
    """Whose it is."""


Event = Annotated[
    Ready | ExerciseStarted | CheckDone | ExerciseDone | Graded | Shown | RunnerFailed, Field(discriminator="kind")
]
EVENT: TypeAdapter[Event] = TypeAdapter(Event)


class ReaderSettings(Model):
    """The first line that a reader reads."""

    source: str
    """The class's folder or archive; empty if submissions come as text."""
    promises: dict[str, tuple[str, ...]]
    """The names that each exercise promises."""


class Reading(Model):
    """Read one hand-in, or only look where its exercises are if it has been read before."""

    hand_in: HandIn
    submission: Submission | None = None


class ReadingDone(Model):
    """What was read."""

    submission: Submission | None = None
    """None: it could not be read, which no learner is to blame for."""
    entries: tuple[Entry, ...] = ()
    """Every exercise, in teaching order."""
    problem: str = ""
