"""Apply a course's dates to a class: which attempt still counts, and whether lateness can be told at all."""

from grader.model.classroom import Classroom, HandIn
from grader.model.course import CourseSettings
from grader.model.late import LateRule, assess_lateness


def apply_dates(classroom: Classroom, settings: CourseSettings) -> Classroom:
    """Return the class with the attempts that count by the course's dates, and a note if hand-ins have no time."""
    notes = (*classroom.notes, *_without_time(classroom, settings))
    hand_ins = tuple(_choose_in_time(hand_in, settings) for hand_in in classroom.hand_ins)
    return classroom.model_copy(update={"hand_ins": hand_ins, "notes": notes})


def _choose_in_time(hand_in: HandIn, settings: CourseSettings) -> HandIn:
    """Let the newest attempt before the cut-off count, if there is one: a later one must not turn points into none."""
    if settings.attempts != "newest" or settings.late.cut_off is None or hand_in.chosen is None:
        return hand_in
    for index in range(hand_in.chosen, -1, -1):
        attempt = hand_in.attempts[index]
        lateness = assess_lateness(
            settings.late,
            deadline=settings.deadline,
            extension=hand_in.student.extension,
            zone=settings.zone,
            submitted_at=attempt.submitted_at,
        )
        if not lateness.cut_off:
            break
    else:
        return hand_in
    if index == hand_in.chosen:
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
