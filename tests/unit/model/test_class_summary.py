"""A class is added up one student at a time."""

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model.class_summary import BINS, ClassTally
from grader.model.classroom import Student
from grader.model.student_line import CriterionLine, StudentLine
from grader.model.verdict import Verdict


def line(place, points, **fields):
    """A graded student with these points, of 2 each, on criteria of one exercise."""
    criteria = tuple(CriterionLine("heads", f"c{index}", score, 2.0) for index, score in enumerate(points))
    total = float(sum(points))
    given_fields = {
        "student": Student(id=f"{place:03d}", name=f"Student {place}"),
        "status": "graded",
        "criteria": criteria,
        "raw": total,
        "adjustments": 0.0,
        "late": 0.0,
        "final": total,
        "max_score": 2.0 * len(points),
        **fields,
    }
    return StudentLine(**given_fields)


def summary_of(lines):
    """The summary of all these."""
    tally = ClassTally()
    for each in lines:
        tally.add(each)
    return tally.summary()


@given(st.lists(st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=3, max_size=3), min_size=3, max_size=40))
def test_discrimination_is_the_correlation_with_the_rest(points):
    """Pearson's of a criterion with the total of all others, as the textbook computes it from whole columns."""
    criteria = summary_of([line(place, row) for place, row in enumerate(points)]).criteria

    for index, criterion in enumerate(criteria):
        own = [row[index] for row in points]
        rest = [sum(row) - row[index] for row in points]
        if len(set(own)) == 1 or len(set(rest)) == 1:
            assert criterion.discrimination is None
        else:
            assert statistics.correlation(own, rest) == pytest.approx(criterion.discrimination, abs=1e-9)
        assert statistics.fmean(own) / 2 == pytest.approx(criterion.mean_share)


def test_discrimination_of_a_known_class():
    """Worked by hand: own points 0, 0, 2, 2 and rest 1, 0, 1, 2 correlate by 1 over the root of 2."""
    rows = [(0, 1), (0, 0), (2, 1), (2, 2)]

    first = summary_of([line(place, row) for place, row in enumerate(rows)]).criteria[0]

    assert 0.5**0.5 == pytest.approx(first.discrimination)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60))
def test_the_distribution_counts_everybody_once(scores):
    """Also scores at an edge, at zero and at full marks."""
    lines = [line(place, [score / 2]) for place, score in enumerate(scores)]

    found = summary_of([each._replace(max_score=20.0) for each in lines]).scores

    assert len(scores) == sum(found.bars) == found.students
    assert BINS == len(found.bars)
    assert statistics.fmean(scores) / 2 == pytest.approx(found.mean)
    assert statistics.pstdev(scores) / 2 == pytest.approx(found.deviation, abs=1e-9)
    assert statistics.median(scores) / 2 == pytest.approx(found.quartiles[1])
    assert (min(scores) / 2, max(scores) / 2) == (found.lowest, found.highest)
    assert scores.count(40) == found.full_marks


def test_a_score_on_an_edge_stands_in_the_bar_above_it():
    """21 of 70 is the sixth edge of twenty bars, and no rounding may push it below."""
    found = summary_of([line(0, [21.0])._replace(max_score=70.0)]).scores

    assert 1 == found.bars[6]


def test_who_handed_in_nothing_does_not_make_criteria_hard():
    """Their zeros say nothing about the exercises; they are counted by themselves."""
    absent = line(1, (0, 0), status="not_submitted")
    broken = line(2, (0, 0), status="errored", final=None)

    found = summary_of([line(0, (2, 2)), absent, broken])

    assert {"graded": 1, "not_submitted": 1, "errored": 1} == found.counts
    assert 3 == found.students
    assert [1.0, 1.0] == [criterion.mean_share for criterion in found.criteria]
    assert 1 == found.scores.students


def test_mistakes_are_ranked_by_how_many_hold_them():
    """Each student counts once, and equal numbers are ordered by name, so that two runs agree."""
    mistakes = [{"b"}, {"a", "b"}, {"c", "b"}, set()]
    lines = [
        line(place, (1,), misconceptions=frozenset(("heads", name) for name in names))
        for place, names in enumerate(mistakes)
    ]

    held = summary_of(lines).misconceptions

    assert [("b", 3), ("a", 1), ("c", 1)] == [(each.misconception, each.students) for each in held]
    assert 0.75 == held[0].share


def test_the_first_holder_of_a_mistake_is_told():
    """So that its explanation is looked up once, not for every student."""
    tally = ClassTally()
    one = frozenset({("heads", "a")})

    assert one == tally.add(line(0, (1,), misconceptions=one))
    assert frozenset() == tally.add(line(1, (1,), misconceptions=one))


@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        ({}, []),
        ({"status": "errored", "final": None}, ["errored"]),
        ({"status": "not_submitted"}, ["not_submitted"]),
        ({"status": "waiting", "final": None}, ["waiting"]),
        ({"verdicts": frozenset({Verdict.CRASHED, Verdict.BLOCKED, Verdict.FAILED})}, ["crashed", "blocked"]),
        ({"flags": ("x", "y")}, ["flag:x", "flag:y"]),
        ({"in_roster": False}, ["not_in_roster"]),
        ({"raw": 0.0}, ["zero"]),
    ],
)
def test_students_to_look_at_are_listed_with_the_reason(fields, reasons):
    """Flags, crashes, nothing handed in, no grade."""
    found = summary_of([line(7, (1,), **fields)])

    assert reasons == [group.reason for group in found.look]
    assert all("007" == group.students[0].id for group in found.look)


def test_an_empty_class_has_a_summary():
    """Nothing is divided by nobody."""
    found = summary_of([])

    assert (0, None, (), ()) == (found.students, found.scores, found.criteria, found.misconceptions)


def test_the_order_of_students_changes_no_number():
    """Not beyond rounding: a class has no order."""
    chance = random.Random(1)
    lines = [line(place, [chance.choice([0.0, 2.0]) for _ in range(4)]) for place in range(50)]

    one, other = summary_of(lines), summary_of(lines[::-1])

    assert one.scores == other.scores
    for first, second in zip(one.criteria, other.criteria, strict=True):
        assert first.discrimination == pytest.approx(second.discrimination)


def test_a_bonus_is_told_apart_from_the_scores():
    """It is in no exercise's share; its own criterion goes with all that counts; its mean has a place of its own."""
    rows = [(0, 1, 2), (0, 0, 0), (2, 1, 2), (2, 2, 0)]
    lines = [
        line(
            place,
            row[:2],
            criteria=tuple(
                CriterionLine("heads", f"c{index}", score, 2.0, index == 2) for index, score in enumerate(row)
            ),
            bonus=float(row[2]),
            max_bonus=2.0,
        )
        for place, row in enumerate(rows)
    ]

    found = summary_of(lines)

    assert statistics.fmean(sum(row[:2]) / 4 for row in rows) == pytest.approx(found.exercises[0].mean_share)
    assert statistics.correlation([row[2] for row in rows], [sum(row[:2]) for row in rows]) == pytest.approx(
        found.criteria[2].discrimination
    )
    assert 0.5**0.5 == pytest.approx(found.criteria[0].discrimination)
    assert (1.0, 2.0) == (found.scores.mean_bonus, found.scores.max_bonus)
