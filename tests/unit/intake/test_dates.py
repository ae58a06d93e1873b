"""A course's dates decide which attempt counts; where they cannot be applied, that is said."""

from datetime import UTC, datetime, timedelta

from grader.intake.dates import apply_dates
from grader.model.classroom import Attempt, Classroom, HandIn, Student
from grader.model.course import CourseSettings
from grader.model.late import LatePolicy, LateRule

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PER_DAY = LatePolicy(rule=LateRule.PER_DAY, percent_per_day=10)


def settings_with(late: LatePolicy) -> CourseSettings:
    """A course whose work is due at noon."""
    return CourseSettings(id="small", title="Small", exercises=("heads",), deadline=NOON, late=late)


def class_of(*hand_ins: tuple[float | None, ...]) -> Classroom:
    """Students a, b, …, each with attempts so many hours after noon, or at no known time."""
    return Classroom(
        layout="folders",
        hand_ins=tuple(
            HandIn(
                student=Student(id="abcdef"[number]),
                attempts=tuple(
                    Attempt(sources=("x",), submitted_at=None if hours is None else NOON + timedelta(hours=hours))
                    for hours in attempts
                ),
                chosen=len(attempts) - 1 if attempts else None,
            )
            for number, attempts in enumerate(hand_ins)
        ),
    )


def test_the_newest_attempt_before_the_cut_off_counts() -> None:
    """A later one must not turn points into none; where all are later, nothing changes."""
    classroom = class_of((-2, -1, 1, 2), (1, 2), ())

    some, late, absent = apply_dates(classroom, settings_with(LatePolicy(cut_off=NOON))).hand_ins

    assert 1 == some.chosen
    assert ("attempt 2 of 4 counts: what came later is past the cut-off",) == some.notes
    assert (late, absent) == classroom.hand_ins[1:]
    assert classroom == apply_dates(classroom, settings_with(LatePolicy()))


def test_hand_ins_without_a_time_are_told_where_lateness_costs_points() -> None:
    """Else an instructor would believe that nobody was late."""
    none, some, all_known = class_of((None,), (None,), ()), class_of((None,), (1,), ()), class_of((1,), ())

    for policy in (PER_DAY, LatePolicy(cut_off=NOON)):
        settings = settings_with(policy)
        assert (
            "the hand-ins do not say when they came (layout folders), so lateness costs nothing there",
        ) == apply_dates(none, settings).notes
        assert (
            "1 of 2 hand-ins do not say when they came (layout folders), so lateness costs nothing there",
        ) == apply_dates(some, settings).notes
        assert () == apply_dates(all_known, settings).notes
    assert () == apply_dates(none, settings_with(LatePolicy())).notes
    assert () == apply_dates(none, settings_with(PER_DAY).model_copy(update={"deadline": None})).notes
