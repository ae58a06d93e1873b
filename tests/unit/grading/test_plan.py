"""Which run a grading is."""

from datetime import timedelta
from pathlib import Path

import pytest

from grader.grading.plan import Asked, plan_batch, plan_regrade, rescore_run
from grader.grading.store import Status, open_store
from grader.model.classroom import Classroom
from grader.model.errors import CourseError, SubmissionError
from grader.model.rubric import Rubric
from grader.model.verdict import Verdict
from tests.unit.grading.made_up import COURSE, NOON, hand_in_of, keep_all, report_of, run_of, submission_of

ALL = Asked(COURSE.settings.exercises)


@pytest.fixture
def store(tmp_path: Path):
    """An empty store."""
    with open_store(tmp_path / "grades.sqlite", create=True) as opened:
        yield opened


def plan(store, names: str, asked: Asked = ALL, course=COURSE):
    """Plan the batch of a class with these students."""
    classroom = Classroom(layout="folders", hand_ins=tuple(hand_in_of(name) for name in names))
    return plan_batch(store, course, "digest", "/class", classroom, asked)


def grade_one(store, run, student: str) -> None:
    """Give one student a result."""
    submission = submission_of(student, student)
    store.keep(run, [student], submission, student, f"{run.number} {student}", report_of(submission))


def test_an_interrupted_run_goes_on_and_a_finished_one_does_not(store) -> None:
    """As long as nothing else has changed."""
    first = plan(store, "ab")
    second = plan(store, "bc")
    store.finish_run(second.run)
    third = plan(store, "bc")

    assert [1, 1, 2] == [first.run.number, second.run.number, third.run.number]
    assert [False, True, False] == [first.goes_on, second.goes_on, third.goes_on]
    assert ("a",) == second.gone
    assert first.run.seed == second.run.seed == third.run.seed


@pytest.mark.parametrize(
    "other",
    [
        {"asked": ALL._replace(seed=3)},
        {"asked": ALL._replace(exercises=("double",))},
        {"course": COURSE.model_copy(update={"digest": "other"})},
        {"asked": ALL._replace(again=True)},
    ],
)
def test_whatever_changes_a_report_begins_a_new_run(store, other: dict[str, object]) -> None:
    """The old one stays as it is."""
    first = plan(store, "ab", ALL._replace(seed=2))

    second = plan(store, "ab", **other)

    assert first.run.number != second.run.number
    assert not second.goes_on


def test_asking_for_one_student_keeps_the_others_results(store) -> None:
    """The latest run always holds the whole class."""
    first = plan(store, "abc").run
    for student in "abc":
        grade_one(store, first, student)
    store.finish_run(first)

    second = plan(store, "abc", ALL._replace(students=("b",)))

    assert ["b"] == [hand_in.student.id for hand_in in second.todo]
    assert [Status.GRADED] * 3 == [result.status for result in store.results(second.run)]


def test_a_limit_takes_the_next_that_wait(store) -> None:
    """And not the same again."""
    first = plan(store, "abcd", ALL._replace(limit=2))
    for hand_in in first.todo:
        grade_one(store, first.run, hand_in.student.id)

    second = plan(store, "abcd", ALL._replace(limit=2))

    assert ["a", "b"] == [hand_in.student.id for hand_in in first.todo]
    assert ["c", "d"] == [hand_in.student.id for hand_in in second.todo]


@pytest.mark.parametrize("asked", [ALL._replace(students=("b",)), ALL._replace(limit=1)])
def test_a_result_stays_with_the_attempt_that_it_is_of(store, asked: Asked) -> None:
    """Who was not asked for handed in again, later: points of one, lateness of another are nobody's grade."""
    older, newer = (hand_in_of("a", submitted_at=NOON + timedelta(days=days)) for days in (0, 3))
    before, now = (Classroom(layout="folders", hand_ins=(one, hand_in_of("b"))) for one in (older, newer))
    first = plan_batch(store, COURSE, "digest", "/class", before, ALL).run
    for student in "ab":
        grade_one(store, first, student)
    store.finish_run(first)

    narrow = plan_batch(store, COURSE, "digest", "/class", now, asked)

    (kept, _) = store.results(narrow.run)
    assert (Status.GRADED, NOON) == (kept.status, kept.hand_in.counted.submitted_at)
    store.finish_run(narrow.run)
    everybody = plan_batch(store, COURSE, "digest", "/class", now, ALL)
    (waiting, _) = store.results(everybody.run)
    assert (Status.WAITING, newer) == (waiting.status, waiting.hand_in)


def test_when_a_run_goes_on_an_attempt_that_is_newer_waits(store) -> None:
    """Until it has been graded too."""
    run = plan(store, "ab").run
    grade_one(store, run, "a")
    newer = hand_in_of("a", submitted_at=NOON)

    again = plan_batch(
        store, COURSE, "digest", "/class", Classroom(layout="folders", hand_ins=(newer, hand_in_of("b"))), ALL
    )

    assert again.goes_on
    assert [Status.WAITING] * 2 == [result.status for result in store.results(again.run)]


def test_what_was_rescored_meanwhile_stays_unfinished_and_a_new_run_begins(store) -> None:
    """So that the latest run is the one that holds everybody."""
    first = plan(store, "ab").run
    grade_one(store, first, "a")

    rescored = rescore_run(store, first, COURSE)
    assert rescored.finished_at is None
    second = plan(store, "ab")

    assert (3, False) == (second.run.number, second.goes_on)


@pytest.mark.parametrize(
    "changed",
    [
        {"attempts": "oldest"},
        {"deadline": NOON, "late": COURSE.settings.late.model_copy(update={"cut_off": NOON + timedelta(hours=1)})},
    ],
)
def test_other_attempts_cannot_be_scored_from_what_is_kept(store, changed: dict[str, object]) -> None:
    """Only the attempt that counted then was read."""
    first, second = (hand_in_of("a", submitted_at=NOON + timedelta(days=day)).attempts[0] for day in (0, 1))
    twice = hand_in_of("a").model_copy(update={"attempts": (first, second), "chosen": 1})
    base = keep_all(store, run_of(source="/class"), {"a": "a"}, twice)
    course = COURSE.model_copy(update={"settings": COURSE.settings.model_copy(update=changed)})

    for redo in (
        lambda: rescore_run(store, base, course),
        lambda: plan_regrade(store, course, "digest", base, (), None),
    ):
        with pytest.raises(CourseError, match="another attempt of a counts than in run 1. .*: grade batch /class"):
            redo()
    assert 1 == len(store.runs())


def test_a_student_who_is_not_there_is_wrong_usage(store) -> None:
    """Before a run is begun."""
    with pytest.raises(SubmissionError, match="nobody in the class has the id 'annna'. Did you mean 'anna'?"):
        plan(store, ["anna"], ALL._replace(students=("annna",)))
    assert [] == store.runs()


def test_a_regrade_begins_with_nothing_and_goes_on_after_an_interruption(store) -> None:
    """Except for students that were not asked for."""
    base = keep_all(store, run_of(), {"a": "a", "b": "b"})

    everybody = plan_regrade(store, COURSE, "digest", base, (), None)
    assert [Status.WAITING] * 2 == [result.status for result in store.results(everybody.run)]
    again = plan_regrade(store, COURSE, "digest", base, (), None)
    assert again.goes_on
    store.finish_run(again.run)
    one = plan_regrade(store, COURSE, "digest", base, ("b",), None)
    assert not one.goes_on
    assert ["b"] == [hand_in.student.id for hand_in in one.todo]
    assert [Status.GRADED] * 2 == [result.status for result in store.results(one.run)]


def other_points(**points: float) -> Rubric:
    """The rubric of double with other points."""
    rubric = COURSE.exercise("double").rubric
    criteria = tuple(each.model_copy(update={"points": points.get(each.id, each.points)}) for each in rubric.criteria)
    return rubric.model_copy(update={"criteria": criteria, "points": sum(each.points for each in criteria)})


def with_rubric(rubric: Rubric):
    """The miniature course with another rubric for double."""
    double = COURSE.exercise("double").model_copy(update={"rubric": rubric})
    return COURSE.model_copy(update={"exercises": (double, *COURSE.exercises[1:]), "digest": "other"})


def test_rescoring_applies_other_points_to_the_same_verdicts(store) -> None:
    """Grades and reports alike; the old run stays as it was."""
    base = store.finish_run(keep_all(store, run_of(), {"a": "a"}, doubles=Verdict.FAILED))

    run = rescore_run(store, base, with_rubric(other_points(values=10, refusal=7)))

    (before,), (after,) = store.results(base), store.results(run)
    assert 5 == before.grade.final
    assert 11 == after.grade.final
    assert 21 == after.grade.max_score
    report = after.report()
    assert (11, 21) == (report.score, report.max_score)
    assert "other" == report.course.digest
    assert before.report().exercises[0].checks[1:] == report.exercises[0].checks[1:]
    assert "Look at the factor." == report.exercises[0].checks[0].hint
    assert run.finished_at is not None


def test_a_rubric_that_asks_for_more_than_was_run_is_refused(store) -> None:
    """Nobody's verdict is made up."""
    base = keep_all(store, run_of(), {"a": "a"})
    rubric = COURSE.exercise("double").rubric
    first = rubric.criteria[0].model_copy(update={"checks": ("doubles", "dances")})
    course = with_rubric(rubric.model_copy(update={"criteria": (first, *rubric.criteria[1:])}))

    with pytest.raises(CourseError) as caught:
        rescore_run(store, base, course)

    assert "criterion 'values' names 'dances', which was not run. Grade again with: grade regrade" in str(caught.value)
    assert 1 == len(store.runs())
