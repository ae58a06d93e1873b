"""Grades go into Moodle."""

import csv
import io

import pytest

from grader.gradebooks.exported import GradebookError
from grader.gradebooks.moodle import export_moodle, fill_moodle
from tests.unit.gradebooks.lines import make_line

WORKSHEET = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\r\n"
    'Participant 501,Ann Doe,Ann@uni.test,Submitted for grading,,10.00,Yes,"Monday, 2 March 2026, 1:00 PM",-,\r\n'
    "Participant 502,Bob Roe,bob@uni.test,No submission,7.00,10.00,Yes,-,-,Well done\r\n"
    "Participant 503,Bob Roe,,No submission,,10.00,Yes,-,-,\r\n"
)


def rows_of(text):
    """The rows as Moodle reads them."""
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_the_gradebook_gets_address_grade_and_feedback():
    """E-mail addresses keep their letter case, which Moodle minds."""
    lines = [make_line("007", 7.5, email="Ann@uni.test", late=-2.0, adjustments=0.5)]

    exported = export_moodle(lines, "Attention")

    assert [
        ["Email address", "Attention", "Attention feedback"],
        ["Ann@uni.test", "7.5", "heads 9 of 10; 0.5 added by hand; 2 off for lateness"],
    ] == rows_of(exported.text)


def test_one_student_without_an_address_does_not_spoil_the_import():
    """One unknown user makes Moodle refuse the whole file."""
    exported = export_moodle([make_line("a", 1.0, email="a@b"), make_line("b", 2.0, name="Bob")], "Attention")

    assert 2 == len(rows_of(exported.text))
    assert ("b (Bob): has no e-mail address, by which Moodle finds the others",) == exported.left_out


def test_a_class_without_addresses_is_named_by_id():
    """With its zeros."""
    assert ["ID number", "007"] == [row[0] for row in rows_of(export_moodle([make_line("007", 1.0)], "A").text)]


@pytest.mark.parametrize("fields", [{"platform_id": "501"}, {"email": "ann@uni.test"}, {"name": "Ann Doe"}])
def test_a_worksheet_is_filled_in_and_else_stays_as_it_was(fields):
    """Above all when a grade was last changed, by which Moodle sees a conflict."""
    exported = fill_moodle([make_line("x", 6.0, **fields)], WORKSHEET)

    before, after = rows_of(WORKSHEET), rows_of(exported.text)
    assert ("6.00", "heads 6 of 10") == (after[1][4], after[1][9])
    after[1][4] = after[1][9] = ""
    assert before == after
    assert exported.text.startswith("\ufeff")


def test_feedback_that_a_person_wrote_stays():
    """Only the grade is new."""
    row = rows_of(fill_moodle([make_line("502", 3.0)], WORKSHEET).text)[2]

    assert ("3.00", "Well done") == (row[4], row[9])


def test_what_this_kit_wrote_about_an_older_grade_is_written_anew():
    """Or learners would read the reasons of another grade."""
    older = make_line("501", 3.0, late=-2.0, adjustments=-1.5)
    filled = fill_moodle([older], WORKSHEET)

    again = fill_moodle([make_line("501", 10.0), make_line("502", 3.0)], filled.text)

    assert "heads 6.5 of 10; 1.5 taken off by hand; 2 off for lateness" == rows_of(filled.text)[1][9]
    assert ["heads 10 of 10", "Well done"] == [row[9] for row in rows_of(again.text)[1:3]]
    assert ("1 of the comments that Moodle has already are not this kit's, and stay",) == again.notes


def test_namesakes_on_the_roster_do_not_turn_work_into_zeros():
    """Both are there twice: by participant number with their work, and by address without."""
    worksheet = WORKSHEET.replace("Participant 503,Bob Roe,,", "Participant 503,Ann Doe,ann2@uni.test,")
    lines = [
        make_line("501", 10.0, name="Ann Doe"),
        make_line("503", 8.0, name="Ann Doe"),
        make_line("a1", 0.0, status="not_submitted", name="Ann Doe", email="ann@uni.test"),
        make_line("a2", 0.0, status="not_submitted", name="Ann Doe", email="ann2@uni.test"),
    ]

    exported = fill_moodle(lines, worksheet)

    assert ["10.00", "7.00", "8.00"] == [row[4] for row in rows_of(exported.text)[1:]]
    assert 2 == len(exported.left_out)


def test_a_name_that_two_students_have_gives_neither_the_grade():
    """Guessing would be wrong half of the time."""
    exported = fill_moodle([make_line("x", 5.0, name="Bob Roe"), make_line("y", None, status="waiting")], WORKSHEET)

    assert ("x (Bob Roe): not in Moodle's worksheet", "y: no grade (waiting)") == tuple(sorted(exported.left_out))


def test_another_scale_is_refused():
    """Moodle would take 60 of 70 points for 60 of 10, or refuse the file."""
    with pytest.raises(GradebookError, match="maximum grade is 10, but the course gives 70 points. Set"):
        fill_moodle([make_line("501", 60.0, max_score=70.0)], WORKSHEET)


def test_what_cells_hold_stays_within_its_line():
    """A form feed before a number is read over, and must not break the line that says what the number is."""
    broken = WORKSHEET.replace(",10.00,", ",\x0c20.00,")
    assert broken != WORKSHEET

    with pytest.raises(GradebookError) as refusal:
        fill_moodle([make_line("501", 6.0)], broken)
    absent = fill_moodle([make_line("x\ny", 6.0, name="Bob\x0cRoe")], WORKSHEET).left_out

    assert str(refusal.value).startswith("the worksheet's maximum grade is 20, but the course gives 10 points.")
    assert ("x y (Bob\\x0cRoe): not in Moodle's worksheet",) == absent


def test_a_worksheet_in_another_language_is_refused_with_what_to_do():
    """Its headings cannot be guessed safely."""
    with pytest.raises(GradebookError, match="found ID, Nombre. Headings are in the site's language: download"):
        fill_moodle([], "ID,Nombre\r\n1,Ann\r\n")
