"""What changed between two runs is said for each student, with the reason."""

from datetime import timedelta
from pathlib import Path

import pytest

from grader.course.load import load_course
from grader.course.trees import CourseTrees
from grader.grading.differences import Difference, compare_runs
from grader.grading.plan import rescore_run
from grader.grading.store import Store, open_store
from grader.model.adjustment import Adjustment
from grader.model.late import LateRule
from grader.model.verdict import Verdict
from grader.report.grade_words import grade_sentences
from tests.conftest import MINI_COURSE
from tests.unit.grading.made_up import COURSE, NOON, hand_in_of, keep_all, run_of
from tests.unit.grading.test_plan import other_points, with_rubric


@pytest.fixture
def store(tmp_path: Path):
    """An empty store."""
    with open_store(tmp_path / "grades.sqlite", create=True) as opened:
        yield opened


def differences(store: Store, before, after) -> dict[str, Difference]:
    """By student."""
    return {found.student.id: found for found in compare_runs(store, before, after)}


def test_other_verdicts_are_named_with_what_they_cost(store: Store) -> None:
    """And who is the same is left out."""
    before = keep_all(store, run_of(), {"a": "a", "b": "b"})
    after = keep_all(store, run_of(), {"a": "a"}, doubles=Verdict.FAILED)
    store.copy_run(run_of(), before)

    found = differences(store, before, after)

    assert {"a", "b"} == set(found)
    assert ("double.values: 2 of 2 → 0 of 2: doubles passed → failed",) == found["a"].why
    assert (7, 5) == (found["a"].before, found["a"].after)
    assert ("is no longer in the class",) == found["b"].why
    assert {} == differences(store, before, store.copy_run(run_of(), before))
    assert "was not in the class before" == differences(store, after, before)["b"].why[0]


def test_a_verdict_that_costs_the_same_is_told_of_too(store: Store) -> None:
    """Wrong in another way."""
    before = keep_all(store, run_of(), {"a": "a"}, doubles=Verdict.FAILED)
    after = keep_all(store, run_of(), {"a": "a"}, doubles=Verdict.TIMED_OUT)

    (found,) = compare_runs(store, before, after)

    assert found.same_grade
    assert ("double.values: 0 of 2 as before: doubles failed → timed out",) == found.why


def test_points_that_the_rubric_changed_are_told_apart(store: Store) -> None:
    """From verdicts, and from decisions by hand."""
    before = keep_all(store, run_of(), {"a": "a"}, doubles=Verdict.FAILED)
    decided = Adjustment(
        student="a", exercise="double", criterion="values", points=3, why="Nearly.", author="Ada", at=NOON
    )
    store.adjust(decided)
    after = rescore_run(store, before, with_rubric(other_points(values=10)))

    (found,) = compare_runs(store, before, after)

    assert ("double.values: 2 of 2 → 3 of 10: worth 10 instead of 2; set by hand: Nearly. (Ada)",) == found.why


def test_another_submission_and_another_lateness_are_reasons(store: Store) -> None:
    """Each with what it means."""
    late = COURSE.settings.late.model_copy(update={"rule": LateRule.PER_DAY, "percent_per_day": 10})
    settings = COURSE.settings.model_copy(update={"deadline": NOON, "late": late})
    course = COURSE.model_copy(update={"settings": settings})
    before = keep_all(store, run_of(course), {"a": "one"})
    after = keep_all(store, run_of(course), {"a": "two"}, hand_in_of("a", submitted_at=NOON + timedelta(hours=1)))

    (found,) = compare_runs(store, before, after)

    assert "handed in something else" == found.why[0]
    assert "lateness takes off 0.7 instead of 0 points: 1 day late" in found.why[1]


def test_an_exercise_that_one_run_leaves_out_is_named_once(store: Store) -> None:
    """Its criteria are in the rubric all the same."""
    part = load_course(CourseTrees(MINI_COURSE), ["double"])
    whole = keep_all(store, run_of(), {"a": "a"})
    double = keep_all(store, run_of(part, exercises=("double",)), {"a": "a"})

    assert ("layer: graded before, and not now",) == differences(store, whole, double)["a"].why
    assert ("layer: graded now, and not before",) == differences(store, double, whole)["a"].why
    # The rubrics of the whole course score what was graded, and no more.
    assert {} == differences(store, double, rescore_run(store, double, COURSE))


def test_what_was_errored_and_is_graded_says_so(store: Store) -> None:
    """There was no grade to compare with."""
    before = keep_all(store, run_of(), {"a": "a"}, doubles=Verdict.ERRORED)
    after = keep_all(store, run_of(), {"a": "a"})

    (found,) = compare_runs(store, before, after)

    assert (None, 7) == (found.before, found.after)
    assert ("was errored, is graded",) == found.why


def test_a_criterion_that_became_a_bonus_says_so(store: Store) -> None:
    """Its points leave the total and stand beside it, by hand too, and lateness leaves them alone."""
    before = keep_all(store, run_of(), {"a": "a", "b": "b"}, refuses_negative_times=Verdict.FAILED)
    rubric = COURSE.exercise("double").rubric
    criteria = tuple(each.model_copy(update={"bonus": each.id == "refusal"}) for each in rubric.criteria)
    late = COURSE.settings.late.model_copy(update={"rule": LateRule.PER_DAY, "percent_per_day": 50})
    settings = COURSE.settings.model_copy(update={"deadline": NOON, "late": late})
    course = with_rubric(rubric.model_copy(update={"criteria": criteria, "points": 3.0}))
    after = rescore_run(store, before, course.model_copy(update={"settings": settings}))
    store.adjust(
        Adjustment(student="b", exercise="double", criterion="refusal", points=0.5, why="Half.", author="Ada", at=NOON)
    )

    found = differences(store, before, after)

    assert ("double.refusal: 0 of 1 → 0 of 1: a bonus now, in no total",) == found["a"].why
    results = {result.student.id: result for result in store.results(after)}
    grades = {student: result.grade for student, result in results.items()}
    assert (6, 6, 6, 0, 1) == (grades["a"].final, grades["a"].earned, grades["a"].max_score, *bonus_of(grades["a"]))
    assert (6, 6, 6, 0.5, 1) == (grades["b"].final, grades["b"].earned, grades["b"].max_score, *bonus_of(grades["b"]))
    shown = results["b"].student_result()
    assert (6, 6, 0, 1) == (shown.report.score, shown.report.max_score, *bonus_of(shown.report))
    assert (0, 0.5, 1) == (shown.adjusted, *bonus_of(shown))
    assert [
        "Your grade: 6 of 6 points, bonus 0.5 of 1.",
        "The checks gave 6 points.",
        "0.5 bonus points added in double.refusal by Ada: Half.",
    ] == list(grade_sentences(shown))


def bonus_of(part) -> tuple[float, float]:
    """Earned and possible."""
    return part.bonus, part.max_bonus
