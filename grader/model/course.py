"""A course: its exercises in teaching order, and what learners are shown."""

from datetime import datetime
from typing import Final, Literal
from zoneinfo import ZoneInfo

from pydantic import Field, ValidationInfo, field_validator

from grader.model.base import Model
from grader.model.feedback import FeedbackLevel
from grader.model.late import LatePolicy, LateRule, local_moment, refuse_date_alone
from grader.model.rubric import Rubric

DECIDED_AFTER_GRADING: Final = frozenset({"deadline", "timezone", "late", "attempts", "points"})
"""Settings that change no verdict, so that a change of them makes no work to be graded again."""


class CourseSettings(Model):
    """What ``rubrics/course.yaml`` says."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    title: str
    exercises: tuple[str, ...] = Field(min_length=1, max_length=256)
    """Exercise ids in teaching order."""
    points: float | None = Field(default=None, gt=0)
    """What the exercises must add up to, bonus points apart; whatever they do if it is not given."""
    feedback: FeedbackLevel = FeedbackLevel.FULL
    submission_s: float = Field(default=120.0, gt=0)
    """Seconds for grading one submission; what others had the processor for is not counted."""
    deadline: datetime | None = None
    """When a class's work is due; without an offset, on the clock of ``timezone``."""
    timezone: str = "UTC"
    """An IANA name such as ``Europe/Berlin``: what deadlines are given in, and what a day late is."""
    late: LatePolicy = LatePolicy()
    attempts: Literal["newest", "oldest"] = "newest"
    """Which of several attempts counts; of the newest ones, one that is not past the cut-off."""

    @field_validator("deadline", mode="before")
    @classmethod
    def _deadline_has_a_time(cls, value: object) -> object:
        return refuse_date_alone(value)

    @field_validator("timezone")
    @classmethod
    def _timezone_is_known(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (KeyError, OSError, ValueError):
            raise ValueError("this time zone is not known; give an IANA name such as Europe/Berlin") from None
        return name

    @field_validator("exercises")
    @classmethod
    def _exercises_differ(cls, exercises: tuple[str, ...]) -> tuple[str, ...]:
        for name in exercises:
            if exercises.count(name) > 1:
                raise ValueError(f"{name} stands there {exercises.count(name)} times; name each exercise once")
        return exercises

    @field_validator("late")
    @classmethod
    def _late_goes_with_the_deadline(cls, late: LatePolicy, info: ValidationInfo) -> LatePolicy:
        if late.rule is LateRule.PER_DAY and not late.percent_per_day:
            raise ValueError("rule: per_day takes nothing off without percent_per_day; write how many, or rule: none")
        deadline, zone = info.data.get("deadline"), info.data.get("timezone")
        if late.cut_off and deadline and zone:
            due, end = local_moment(deadline, ZoneInfo(zone)), local_moment(late.cut_off, ZoneInfo(zone))
            if end < due:
                raise ValueError(
                    f"from cut_off on, {end:%Y-%m-%d %H:%M}, nothing counts, but work is due later, at "
                    f"{due:%Y-%m-%d %H:%M}; move one of them"
                )
        return late

    @property
    def zone(self) -> ZoneInfo:
        """The course's time zone."""
        return ZoneInfo(self.timezone)


class CheckClaim(Model):
    """What a check of the hidden suite claims, read from its source without running it."""

    id: str
    """The test function's name without ``test_``."""
    title: str
    """The first line of its docstring: the claim."""
    why: str = ""
    """The rest of its docstring: why the claim matters."""


class Chaff(Model):
    """A known mistake: the text on top of a file in ``tests/hidden/chaffs/<exercise>/``."""

    id: str
    """The file's name without ``.py``."""
    misconception: str
    """A stable id for the idea that is wrong; chaffs that cannot be told apart share it. Two are joined by `` + ``."""
    explanation: str
    """One sentence in the learner's terms: what the code does and why that is wrong."""
    numbers: str = ""
    """The explanation with the check's own numbers, such as ``{d_k}``; used where all of them are known."""
    look_at: str
    """Where to look in one's own code."""
    loses: tuple[str, ...]
    """The criteria that code like this loses: exactly these."""
    parts: "tuple[Chaff, ...]" = ()
    """The mistakes that are made at once, if there are several."""


class Exercise(Model):
    """One exercise: what the stub promises and how it is scored."""

    id: str
    rubric: Rubric
    promises: tuple[str, ...]
    """Names that the stub defines and the learner fills in."""
    claims: dict[str, CheckClaim]
    """By check id, in the suite's order."""
    has_stand_in: bool = False
    has_questions: bool = False
    """Whether it asks for predictions, which are handed in as ``ID.yaml``."""


class Course(Model):
    """A whole course, consistent in itself."""

    settings: CourseSettings
    exercises: tuple[Exercise, ...]
    digest: str
    """SHA-256 over every file of the course's trees that can change a grade."""

    def exercise(self, exercise_id: str) -> Exercise:
        """Return the exercise with this id; ``KeyError`` if there is none."""
        for exercise in self.exercises:
            if exercise.id == exercise_id:
                return exercise
        raise KeyError(exercise_id)
