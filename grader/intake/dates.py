"""Apply a course's dates to a class: which attempt still counts, and whether lateness can be told at all."""

from pathlib import Path

from grader.intake.classroom import read_classroom
from grader.model.classroom import Classroom, HandIn
from grader.model.course import CourseSettings
from grader.model.late import LateRule, assess_lateness


def read_class(
    source: Path, settings: CourseSettings, *, layout: str, roster: Path | None, assignment: str
) -> Classroom:
    """Read who handed in what, with the attempts that count by a course's rule and dates (see `read_classroom`)."""
    classroom = read_classroom(
        source,
        layout=layout,
        roster=roster,
        rule=settings.attempts,
        assignment=assignment,
        zone=settings.zone,
        exercise_ids=settings.exercises,
    )
    return apply_dates(classroom, settings)


def apply_dates(classroom: Classroom, settings: CourseSettings) -> Classroom:
    """Return the class with the attempts that count by the course's dates, and a note if hand-ins have no time."""
    notes = (*classroom.notes, *_without_time(classroom, settings))
    hand_ins = tuple(_choose_in_time(hand_in, settings) for hand_in in classroom.hand_ins)
    return classroom.model_copy(update={"hand_ins": hand_ins, "notes": notes})


def counted_attempt(hand_in: HandIn, settings: CourseSettings) -> int | None:
    """
    Return which attempt counts by a course's rule and dates; None if there is none.

    Of several it is the newest before the cut-off, if there is one: a later one must not turn points into none.
    """
    if not hand_in.attempts:
        return None
    if settings.attempts == "oldest":
        return 0
    newest = len(hand_in.attempts) - 1
    in_time = (
        index
        for index in range(newest, -1, -1)
        if not assess_lateness(
            settings.late,
            deadline=settings.deadline,
            extension=hand_in.student.extension,
            zone=settings.zone,
            submitted_at=hand_in.attempts[index].submitted_at,
        ).cut_off
    )
    return next(in_time, newest)


def _choose_in_time(hand_in: HandIn, settings: CourseSettings) -> HandIn:
    index = counted_attempt(hand_in, settings)
    if index is None or index == hand_in.chosen:
        return hand_in
    note = f"attempt {index + 1} of {len(hand_in.attempts)} counts: what came later is past the cut-off"
    return hand_in.model_copy(update={"chosen": index, "notes": (*hand_in.notes, note)})


def _without_time(classroom: Classroom, settings: CourseSettings) -> list[str]:
    """Say that points which lateness should cost will not be taken off."""
    has_deadline = settings.deadline or any(hand_in.student.extension for hand_in in classroom.hand_ins)
    costs_points = settings.late.rule is not LateRule.NONE or settings.late.cut_off is not None
    if not (has_deadline and costs_points):
        return []
    counted = [hand_in.counted for hand_in in classroom.hand_ins if hand_in.counted]
    without = sum(attempt.submitted_at is None for attempt in counted)
    if not without:
        return []
    whose = "the hand-ins do not" if without == len(counted) else f"{without} of {len(counted)} hand-ins do not"
    return [f"{whose} say when they came (layout {classroom.layout}), so lateness costs nothing there"]
