"""Pairs are listed when they share what neither the exercise nor many others explain."""

import sys

import pytest

from grader.model.errors import GraderError
from grader.similarity.compare import FEW, compare_class
from tests.unit.similarity.handed_in import FIVE_LINES, OWN_WORK, STUB, disguise, file_of, filler, handed_in


def names_of(report):
    """Who is in each pair."""
    return [(pair.left.student.id, pair.right.student.id) for pair in report.pairs]


def test_a_copy_in_disguise_is_listed():
    """New names, no comments, another layout, another order of functions and methods."""
    report = compare_class(handed_in(ann=OWN_WORK, bob=disguise(OWN_WORK), carl=filler(1)), [file_of(STUB)])

    assert [("ann", "bob")] == names_of(report)
    assert min(report.pairs[0].left.share, report.pairs[0].right.share) > 0.95


def test_independent_solutions_of_five_lines_are_not_listed():
    """There are few ways to write them, in a class of two as in a large one."""
    everybody = {f"student{place}": text for place, text in enumerate(FIVE_LINES)}

    assert [] == names_of(compare_class(handed_in(**everybody), [file_of(STUB)]))
    assert [] == names_of(compare_class(handed_in(a=FIVE_LINES[0], b=FIVE_LINES[0]), [file_of(STUB)]))


def test_what_the_course_itself_has_is_taken_away():
    """Two people who both followed the published solution share nothing of their own."""
    class_ = handed_in(ann=OWN_WORK, bob=disguise(OWN_WORK))

    assert [] == names_of(compare_class(class_, [file_of(STUB), file_of(OWN_WORK)]))


def test_what_many_have_is_taken_away():
    """From a certain number on it is what was said in the lecture."""
    few = {f"s{place:02d}": OWN_WORK + filler(place) for place in range(FEW)}
    many = {f"s{place:02d}": OWN_WORK + filler(place) for place in range(FEW + 1)}

    assert FEW * (FEW - 1) // 2 == len(compare_class(handed_in(**few), []).pairs)
    assert () == compare_class(handed_in(**many), []).pairs


def test_the_same_submission_of_many_is_told_as_one_group():
    """However many: what a whole ring shares is not rare any more."""
    ring = {f"ring{place:02d}": disguise(OWN_WORK) if place % 2 else OWN_WORK for place in range(FEW + 5)}

    report = compare_class(handed_in(**ring, zoe=filler(1)), [])

    [group] = report.groups
    assert sorted(ring) == [student.id for student in group.students]
    assert () == report.pairs


def test_one_function_of_many_is_enough():
    """A copy of one exercise must not drown in four of one's own."""
    own = "\n".join(filler(number).replace("own", f"own{number}") for number in range(4))
    other = "\n".join(filler(number).replace("own", f"own{number}") for number in range(10, 14))

    report = compare_class(handed_in(ann=own + OWN_WORK, bob=other + disguise(OWN_WORK)), [])

    assert [("ann", "bob")] == names_of(report)
    assert report.pairs[0].left.share < 0.5


def test_passages_with_one_number_are_the_same_statement():
    """Side by side, whatever the order."""
    [pair] = compare_class(handed_in(ann=OWN_WORK, bob=disguise(OWN_WORK)), []).pairs

    lines = {}
    for side, text in ((pair.left, OWN_WORK), (pair.right, disguise(OWN_WORK))):
        for passage in side.passages:
            line = text.split("\n")[passage.first_line - 1]
            lines.setdefault(passage.number, []).append("amax" in line)
    assert len(lines) > 10
    assert all(2 == len(both) and both[0] == both[1] for both in lines.values())
    assert 1 == sum(all(both) for both in lines.values())


def test_the_order_of_the_class_and_the_run_change_nothing():
    """Python salts its hashes anew in every process; the report must not show it."""
    class_ = handed_in(ann=OWN_WORK, bob=disguise(OWN_WORK), carl=OWN_WORK + filler(3), dora=filler(4))

    assert compare_class(class_, []) == compare_class(class_[::-1], [])


def test_who_has_no_code_is_named():
    """Not compared is not the same as not alike."""
    report = compare_class(handed_in(ann="def (:", bob=OWN_WORK), [])

    assert (("ann: no code that parses",), 1) == (report.left_out, report.compared)


def test_an_empty_class_can_be_compared():
    """And a class of one."""
    assert 0 == compare_class([], []).compared
    assert () == compare_class(handed_in(ann=OWN_WORK), []).pairs


def test_what_to_install_is_said(monkeypatch):
    """The library is behind an extra."""
    monkeypatch.setitem(sys.modules, "copydetect", None)

    with pytest.raises(GraderError, match=r"-m pip install 'copydetect"):
        compare_class(handed_in(ann=OWN_WORK), [])
