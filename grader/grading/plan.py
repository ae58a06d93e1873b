"""Decide which run a class's grading is: a new one, or an interrupted one that goes on."""

import secrets
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from grader.grading.keys import kit_stamp
from grader.grading.store import Run, Status, Store
from grader.intake.dates import counted_attempt
from grader.model.classroom import Classroom, HandIn
from grader.model.course import Course
from grader.model.errors import CourseError, SubmissionError, did_you_mean
from grader.model.rescore import find_unscorable


class Plan(NamedTuple):
    """What is to be done."""

    run: Run
    """With its number: it is in the store."""
    todo: tuple[HandIn, ...]
    goes_on: bool
    """Whether an interrupted run goes on."""
    gone: tuple[str, ...] = ()
    """Students of the interrupted run who are no longer in the class."""


class Asked(NamedTuple):
    """What an instructor may ask for."""

    exercises: tuple[str, ...]
    students: tuple[str, ...] = ()
    """Only these; all if empty."""
    limit: int | None = None
    """At most so many that have no result yet."""
    again: bool = False
    seed: int | None = None


def plan_batch(
    store: Store, course: Course, verdicts_digest: str, source: str, classroom: Classroom, asked: Asked
) -> Plan:
    """
    Begin a run for a class, or go on with the latest one if it was interrupted and nothing else has changed.

    Without a seed the one of the course's last run is taken, so that what was graded is not graded again.

    Raises:
        SubmissionError: If a student is asked for who is not in the class.
    """
    _refuse_unknown(asked.students, [hand_in.student.id for hand_in in classroom.hand_ins])
    last = _last(store, lambda run: run.kind != "rescore" and run.course.settings.id == course.settings.id)
    run = Run(
        kind="batch",
        source=source,
        layout=classroom.layout,
        started_at=datetime.now(UTC),
        course=course,
        verdicts_digest=verdicts_digest,
        kit=kit_stamp(),
        seed=_seed(asked.seed, last),
        exercises=asked.exercises,
        again=asked.again,
        notes=classroom.notes,
        unmatched=classroom.unmatched,
    )
    return _begin(store, run, classroom.hand_ins, asked, _last(store, lambda other: other.kind == "batch"))


def plan_regrade(
    store: Store, course: Course, verdicts_digest: str, base: Run, students: tuple[str, ...], seed: int | None
) -> Plan:
    """
    Begin a run that grades again what was handed in for another, or go on with one; others keep their results.

    Raises:
        CourseError: If other attempts count by now, which were never read.
    """
    _refuse_other_attempts(store, base, course)
    run = base.model_copy(
        update={
            "number": 0,
            "kind": "regrade",
            "base": base.number,
            "started_at": datetime.now(UTC),
            "finished_at": None,
            "course": course,
            "verdicts_digest": verdicts_digest,
            "kit": kit_stamp(),
            "seed": base.seed if seed is None else seed,
            "again": True,
        }
    )
    hand_ins = tuple(result.hand_in for result in store.results(base))
    _refuse_unknown(students, [hand_in.student.id for hand_in in hand_ins])
    last = _last(store, lambda other: other.kind == "regrade")
    return _begin(store, run, hand_ins, Asked(base.exercises, students, again=True), last, base)


def kept_contents(store: Store, run: Run) -> dict[str, str]:
    """Return the keys of what students of a run handed in, as far as it was read and is kept, by student id."""
    found = {}
    for result in store.results(run):
        # What an errored one has may be no more than the message why nothing could be read.
        if result.content and (result.status is Status.GRADED or ((text := result.submission()) and text.files)):
            found[result.student.id] = result.content
    return found


def rescore_run(store: Store, base: Run, course: Course) -> Run:
    """
    Return a new run: another's verdicts, scored by a course's rubrics.

    Nothing is run, and no report is rewritten: points and reports follow from verdicts and rubrics when they are read.

    Raises:
        CourseError: If the rubrics ask for checks that were not run, or other attempts count by now.
    """
    graded = base
    while graded.kind == "rescore" and graded.base:
        graded = store.run(graded.base)
    _refuse_other_attempts(store, base, course)
    problems = list(find_unscorable(graded.course, graded.exercises, course))
    if problems:
        more = f" (and {len(problems) - 1} more like it)" if len(problems) > 1 else ""
        raise CourseError(f"run {base.number} cannot be scored: {problems[0]}{more}. Grade again with: grade regrade")
    now = datetime.now(UTC)
    update = {
        "number": 0,
        "kind": "rescore",
        "base": base.number,
        "started_at": now,
        "finished_at": None,
        "course": course,
    }
    run = store.copy_run(base.model_copy(update=update), base)
    return store.finish_run(run) if base.finished_at else run


def _refuse_other_attempts(store: Store, base: Run, course: Course) -> None:
    """What is kept is the attempt that counted then: by other dates, its lateness would be another's."""
    others = [
        result.student.id
        for result in store.results(base)
        if counted_attempt(result.hand_in, course.settings) != result.hand_in.chosen
    ]
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        raise CourseError(
            f"by the rule and dates of now another attempt of {others[0]}{more} counts than in run {base.number}. "
            f"Read the class again with: grade batch {base.source}"
        )


def _begin(
    store: Store, run: Run, hand_ins: tuple[HandIn, ...], asked: Asked, last: Run | None, base: Run | None = None
) -> Plan:
    same = last is not None and _identity(last) == _identity(run)
    goes_on = same and last is not None and last.finished_at is None and not (asked.again and not last.again)
    # What was made of it meanwhile, such as a rescored run, is the latest, and stays it until a new run begins.
    goes_on = goes_on and last is not None and last.number == store.run().number
    gone: tuple[str, ...] = ()
    if goes_on and last is not None:
        now = {hand_in.student.id for hand_in in hand_ins}
        gone = tuple(result.student.id for result in store.results(last) if result.student.id not in now)
        kept = {"number": last.number, "started_at": last.started_at, "again": last.again}
        run = store.begin_run(run.model_copy(update=kept), hand_ins, only=_only(asked))
    else:
        # Who was not asked for keeps the result of before, so that the latest run always holds the whole class.
        carry = base or (last if same else None)
        only = _only(asked)
        run = store.begin_run(run, hand_ins, None if only is None else carry, only=only)
    return Plan(run, _todo(store, run, hand_ins, asked), goes_on, gone)


def _only(asked: Asked) -> Collection[str] | None:
    """Return whose hand-ins are looked at again although they have a result; None for everybody's."""
    return asked.students or (() if asked.limit is not None else None)


def _todo(store: Store, run: Run, hand_ins: tuple[HandIn, ...], asked: Asked) -> tuple[HandIn, ...]:
    if asked.students:
        return tuple(hand_in for hand_in in hand_ins if hand_in.student.id in asked.students)
    if asked.limit is None:
        return hand_ins
    waiting = {result.student.id for result in store.results(run) if result.status is not Status.GRADED}
    return tuple(hand_in for hand_in in hand_ins if hand_in.student.id in waiting)[: asked.limit]


def _identity(run: Run) -> tuple[object, ...]:
    return run.kind, run.base, run.source, run.course.digest, run.kit, run.seed, run.exercises


def _last(store: Store, wanted: Callable[[Run], bool]) -> Run | None:
    return next((run for run in reversed(store.runs()) if wanted(run)), None)


def _seed(asked: int | None, last: Run | None) -> int:
    if asked is not None:
        return asked
    return last.seed if last else secrets.randbits(31)


def _refuse_unknown(asked: Collection[str], known: Sequence[str]) -> None:
    for student in asked:
        if student not in known:
            raise SubmissionError(f"nobody in the class has the id {student!r}.{did_you_mean(student, known)}")
