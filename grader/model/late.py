"""Decide how late a submission is, and what that costs."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator

from grader.model.base import Model


class LateRule(StrEnum):
    """What lateness costs."""

    NONE = "none"
    """Nothing; lateness is only told."""
    PER_DAY = "per_day"
    """A percentage for each day that has begun."""


class LatePolicy(Model):
    """The course's rule for what comes after the deadline."""

    rule: LateRule = LateRule.NONE
    percent_per_day: float = Field(default=0.0, ge=0, le=100)
    """What each day that has begun costs."""
    of: Literal["earned", "possible"] = "earned"
    """Whether the percentage is taken of the points that were earned, or of all that could be."""
    at_most_percent: float = Field(default=100.0, ge=0, le=100)
    """However late, it costs no more than this."""
    grace_minutes: float = Field(default=0.0, ge=0)
    """Within this time after the deadline nothing is late. Past it, days are counted from the deadline."""
    cut_off: datetime | None = None
    """From then on nothing counts, unless the student's own deadline is later; in the course's time zone."""

    @field_validator("cut_off", mode="before")
    @classmethod
    def _cut_off_has_a_time(cls, value: object) -> object:
        return refuse_date_alone(value)


class Lateness(Model):
    """How late one submission is, and what that costs."""

    deadline: datetime | None = None
    """This student's, with its time zone; None if there is none."""
    submitted_at: datetime | None = None
    late: bool = False
    days: int = 0
    """Days after the deadline that have begun, by the clock on the wall in the course's time zone."""
    percent: float = 0.0
    """What is taken off: of what, the policy says."""
    of: Literal["earned", "possible"] = "earned"
    cut_off: bool = False
    """It came too late to count at all."""
    note: str = ""
    """One sentence for the student and the instructor; empty when there is nothing to say."""

    def deduction(self, earned: float, possible: float) -> float:
        """Return the points that lateness takes off; never more than were earned."""
        if self.cut_off:
            return earned
        base = earned if self.of == "earned" else possible
        return min(earned, base * self.percent / 100)


def refuse_date_alone(value: object) -> object:
    """Refuse a date without a time: whether its day still counts would be anybody's guess."""
    if isinstance(value, datetime):
        return value
    # YAML reads 2026-03-27 as a date, and quoted it is a text of ten characters.
    if hasattr(value, "isoformat") or (isinstance(value, str) and len(value.strip()) <= len("2026-03-27")):
        raise ValueError("give the time of day as well, such as 2026-03-27 23:59:00")
    return value


def local_moment(moment: datetime, zone: ZoneInfo) -> datetime:
    """
    Return a moment in a time zone.

    A time without a zone is on the wall clock of ``zone``. Where that clock shows it twice (clocks are set back), the
    later one is meant; where it never shows it (clocks are set forward), the later reading: both in favour of whoever
    has to be in time.
    """
    if moment.tzinfo is not None:
        return moment.astimezone(zone)
    readings = (moment.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return max(readings).astimezone(zone)


def assess_lateness(
    policy: LatePolicy,
    *,
    deadline: datetime | None,
    extension: datetime | None,
    zone: ZoneInfo,
    submitted_at: datetime | None,
    marked_late: bool = False,
) -> Lateness:
    """
    Return how late a submission is and what that costs.

    Args:
        policy: The course's rule.
        deadline: The course's; None if there is none.
        extension: The student's own deadline, which counts instead.
        zone: The course's time zone: for times without one, and for what a day is.
        submitted_at: When the work was handed in, if that is known.
        marked_late: Whether the learning platform called it late.
    """
    own = extension or deadline
    due = local_moment(own, zone) if own else None
    if due is None:
        note = "The learning platform marked it late; the course has no deadline." if marked_late else ""
        return Lateness(submitted_at=submitted_at, late=marked_late, note=note)
    if submitted_at is None:
        note = ""
        if marked_late:
            # Points are only taken where it can be shown why.
            note = "The learning platform marked it late but does not say when it came; nothing was taken off."
        return Lateness(deadline=due, late=marked_late, note=note)
    came = submitted_at.astimezone(zone)
    # Differences within one zone would ignore that clocks are set, so both are compared as moments.
    if came.astimezone(UTC) <= due.astimezone(UTC) + timedelta(minutes=policy.grace_minutes):
        return Lateness(deadline=due, submitted_at=came)
    days = _days_begun(due, came)
    too_late = False
    if policy.cut_off is not None:
        last = max(local_moment(policy.cut_off, zone).astimezone(UTC), due.astimezone(UTC))
        too_late = came.astimezone(UTC) > last
    percent = 0.0
    if policy.rule is LateRule.PER_DAY:
        percent = min(policy.percent_per_day * days, policy.at_most_percent)
    lateness = Lateness(
        deadline=due, submitted_at=came, late=True, days=days, percent=percent, of=policy.of, cut_off=too_late
    )
    return lateness.model_copy(update={"note": _sentence(lateness)})


def _days_begun(due: datetime, came: datetime) -> int:
    """Count days by the wall clock: the day on which clocks are set has 23 or 25 hours and is one day."""
    days = max(1, (came.date() - due.date()).days - 1)
    while _plus_days(due, days) < came.astimezone(UTC):
        days += 1
    return days


def _plus_days(due: datetime, days: int) -> datetime:
    zone = due.tzinfo
    assert isinstance(zone, ZoneInfo)
    return local_moment(due.replace(tzinfo=None) + timedelta(days=days), zone).astimezone(UTC)


def _sentence(lateness: Lateness) -> str:
    assert lateness.deadline is not None
    due = lateness.deadline.strftime("%Y-%m-%d %H:%M %Z")
    if lateness.cut_off:
        return f"Handed in after the last moment that counts (it was due {due}): no points."
    late = f"{lateness.days} {'day' if lateness.days == 1 else 'days'} late (due {due})"
    if not lateness.percent:
        return f"{late}; nothing is taken off."
    of = "the points earned" if lateness.of == "earned" else "all points"
    return f"{late}: {lateness.percent:g} % of {of} taken off."
