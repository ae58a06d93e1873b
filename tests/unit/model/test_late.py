"""Lateness: what a day is when clocks are set, grace, cut-off and extensions."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from grader.model.late import Lateness, LatePolicy, LateRule, assess_lateness, local_moment

BERLIN = ZoneInfo("Europe/Berlin")
TEN = LatePolicy(rule=LateRule.PER_DAY, percent_per_day=10)


def assess(policy: LatePolicy, due: str | None, came: str | None, **more: object) -> Lateness:
    """In Berlin; both times by the clock on the wall there unless they name an offset."""
    arguments = {
        "deadline": datetime.fromisoformat(due) if due else None,
        "extension": None,
        "zone": BERLIN,
        "submitted_at": local_moment(datetime.fromisoformat(came), BERLIN) if came else None,
        **more,
    }
    return assess_lateness(policy, **arguments)


@pytest.mark.parametrize(
    ("came", "days"),
    [
        ("2026-03-20 23:59:00", 0),
        ("2026-03-20 23:59:01", 1),
        ("2026-03-21 23:59:00", 1),
        ("2026-03-21 23:59:01", 2),
        ("2026-03-27 12:00:00", 7),
    ],
)
def test_each_day_that_has_begun_counts(came: str, days: int) -> None:
    """To the second."""
    late = assess(TEN, "2026-03-20 23:59:00", came)

    assert days == late.days
    assert 10 * days == late.percent
    assert bool(days) is late.late


@pytest.mark.parametrize(
    ("due", "last_of_first_day", "hours"),
    [
        ("2026-03-28 23:59:00", "2026-03-29 23:59:00", 23),  # clocks are set forward in the night
        ("2026-10-24 23:59:00", "2026-10-25 23:59:00", 25),  # and back
    ],
)
def test_a_day_on_which_clocks_are_set_is_one_day(due: str, last_of_first_day: str, hours: int) -> None:
    """By the clock on the wall, not by the hours that passed."""
    late = assess(TEN, due, last_of_first_day)
    assert late.submitted_at is not None
    assert late.deadline is not None
    passed = late.submitted_at.astimezone(UTC) - late.deadline.astimezone(UTC)

    assert timedelta(hours=hours) == passed
    assert 1 == late.days
    second_later = (datetime.fromisoformat(last_of_first_day) + timedelta(seconds=1)).isoformat()
    assert 2 == assess(TEN, due, second_later).days


def test_a_deadline_that_the_clock_shows_twice_is_the_later_one() -> None:
    """02:30 comes twice in that night; whoever hands in at the second is in time."""
    assert not assess(TEN, "2026-10-25 02:30:00", "2026-10-25 02:30:00+01:00").late
    assert assess(TEN, "2026-10-25 02:30:00", "2026-10-25 02:30:01+01:00").late


def test_a_deadline_that_the_clock_never_shows_is_read_late() -> None:
    """02:30 is skipped in that night: 03:30 in summer time is still in time."""
    assert not assess(TEN, "2026-03-29 02:30:00", "2026-03-29 03:30:00+02:00").late
    assert assess(TEN, "2026-03-29 02:30:00", "2026-03-29 03:30:01+02:00").late


def test_times_of_other_zones_are_moments() -> None:
    """A download in UTC is compared as such."""
    assert not assess(TEN, "2026-03-20 23:59:00", "2026-03-20 22:59:00+00:00").late
    assert assess(TEN, "2026-03-20 23:59:00", "2026-03-20 23:00:00+00:00").late
    assert not assess(TEN, "2026-03-20 23:59:00+00:00", "2026-03-21 00:59:00").late


def test_grace_forgives_and_then_counts_from_the_deadline() -> None:
    """Ten minutes are nothing, eleven are a day."""
    policy = TEN.model_copy(update={"grace_minutes": 10})

    assert not assess(policy, "2026-03-20 12:00:00", "2026-03-20 12:10:00").late
    assert 1 == assess(policy, "2026-03-20 12:00:00", "2026-03-20 12:10:01").days
    assert 2 == assess(policy, "2026-03-20 12:00:00", "2026-03-21 12:05:00").days


def test_an_extension_is_the_students_own_deadline() -> None:
    """Also where it has no zone: then it is the course's."""
    extension = datetime.fromisoformat("2026-03-25 12:00:00")

    late = assess(TEN, "2026-03-20 12:00:00", "2026-03-26 11:00:00", extension=extension)

    assert 1 == late.days
    assert "1 day late (due 2026-03-25 12:00 CET): 10 % of the points earned taken off." == late.note


def test_past_the_cut_off_nothing_counts_unless_the_own_deadline_is_later() -> None:
    """An extension beyond it wins."""
    policy = TEN.model_copy(update={"cut_off": datetime.fromisoformat("2026-03-22 12:00:00")})
    extension = datetime.fromisoformat("2026-03-25 12:00:00")

    assert not assess(policy, "2026-03-20 12:00:00", "2026-03-22 12:00:00").cut_off
    late = assess(policy, "2026-03-20 12:00:00", "2026-03-22 12:00:01")
    assert late.cut_off
    assert 7 == late.deduction(7, 10)
    assert "Handed in after the last moment that counts (it was due 2026-03-20 12:00 CET): no points." == late.note
    assert not assess(policy, "2026-03-20 12:00:00", "2026-03-25 12:00:00", extension=extension).late
    assert assess(policy, "2026-03-20 12:00:00", "2026-03-25 12:00:01", extension=extension).cut_off


@pytest.mark.parametrize(
    ("changes", "days", "expected"),
    [
        ({}, 2, 1.0),
        ({"of": "possible"}, 2, 2.0),
        ({"of": "possible"}, 9, 5.0),
        ({"at_most_percent": 30}, 9, 1.5),
        ({"rule": LateRule.NONE}, 9, 0.0),
    ],
)
def test_what_it_costs(changes: dict[str, object], days: int, expected: float) -> None:
    """Of 5 points earned and 10 possible; never more than were earned."""
    policy = TEN.model_copy(update=changes)
    came = datetime.fromisoformat("2026-03-10 12:00:00") + timedelta(days=days)

    late = assess(policy, "2026-03-10 12:00:00", came.isoformat())

    assert days == late.days
    assert expected == pytest.approx(late.deduction(5, 10))


def test_nothing_is_taken_off_where_it_cannot_be_shown_why() -> None:
    """A mark of the platform without a time is told of, and costs nothing."""
    late = assess(TEN, "2026-03-10 12:00:00", None, marked_late=True)

    assert late.late
    assert 0 == late.deduction(5, 10)
    assert "does not say when it came; nothing was taken off" in late.note


def test_without_a_deadline_nothing_is_late() -> None:
    """Unless the platform says so, which costs nothing."""
    assert not assess(TEN, None, "2026-03-10 12:00:00").late
    assert "the course has no deadline" in assess(TEN, None, "2026-03-10 12:00:00", marked_late=True).note
