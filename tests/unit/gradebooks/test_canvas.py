"""Grades go into Canvas."""

import csv
import io

import pytest

from grader.gradebooks.canvas import export_canvas, fill_canvas
from grader.gradebooks.exported import GradebookError, feedback_words, with_bonus
from grader.gradebooks.moodle import fill_moodle
from tests.unit.gradebooks.lines import make_line

DOWNLOADED = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Quiz (11),Attention (4567),Current Score\r\n"
    "    Points Possible,,,,,5.00,,(read only)\r\n"
    '"Doe, Ann",1234,0007,ann,LLM 101,4.00,,80\r\n'
    '"Roe, Bob",1235,0008,bob,LLM 101,3.00,9.00,60\r\n'
    '"Roe, Bob",1236,0009,bob2,LLM 102,2.00\r\n'
    '"Student, Test",1237,,,LLM 101,,,\r\n'
)


def rows_of(text):
    """The rows as Canvas reads them."""
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_a_new_file_has_canvas_columns_in_their_order():
    """The importer wants Student first, ID second, Section last, then the points possible, then students."""
    lines = [make_line("007", 6.125, name='García, "Pepe"', section="LLM 101", platform_id="1234")]

    exported = export_canvas(lines, "Attention (4567)", from_canvas=True)

    assert [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Attention (4567)"],
        ["    Points Possible", "", "", "", "", "10"],
        ['García, "Pepe"', "1234", "007", "007", "LLM 101", "6.12"],
    ] == rows_of(exported.text)


def test_who_has_no_grade_is_left_out_and_named():
    """An empty cell or a zero would overwrite what an instructor entered."""
    exported = export_canvas([make_line("ann", None, status="errored"), make_line("bob", 0.0)], "A", from_canvas=False)

    assert ["Student", "    Points Possible", "bob"] == [row[0] for row in rows_of(exported.text)]
    assert ("ann: no grade (errored)",) == exported.left_out
    assert 1 == exported.written


@pytest.mark.parametrize(
    ("fields", "from_canvas", "own", "other"),
    [
        ({"student": "1234"}, True, "1234", ""),
        ({"student": "1234"}, False, "", "1234"),
        ({"student": "0123"}, True, "", "0123"),
        ({"student": "ann"}, True, "", "ann"),
        ({"student": "2002", "platform_id": "1001"}, True, "1001", "2002"),
        ({"student": "2002", "platform_id": "501"}, False, "", "2002"),
    ],
)
def test_only_a_number_of_canvas_goes_into_its_id_column(fields, from_canvas, own, other):
    """A wrong number there would give somebody else the grade."""
    row = rows_of(export_canvas([make_line(**fields, final=1.0)], "A", from_canvas=from_canvas).text)[2]

    assert [own, other, other] == row[1:4]


def test_an_absent_student_s_own_id_is_no_number_of_canvas():
    """Where others have both, an id that looks like a number of Canvas is the university's."""
    lines = [
        make_line("2002", 6.0, platform_id="1001"),
        make_line("1001", 0.0, status="not_submitted"),
        make_line("1003", 4.0, name="not on the roster"),
    ]

    assert [["1001", "2002"], ["", "1001"], ["1003", ""]] == [
        row[1:3] for row in rows_of(export_canvas(lines, "A", from_canvas=True).text)[2:]
    ]


def test_a_file_for_canvas_begins_with_its_first_heading():
    """Canvas's reader of CSV refuses a byte order mark before a quote."""
    assert export_canvas([make_line("a", 1.0)], "A", from_canvas=True).text.startswith('"Student"')


@pytest.mark.parametrize("title", ["Attention", "attention (4567)"])
@pytest.mark.parametrize(
    "fields",
    [{"platform_id": "1234"}, {"student": "0007"}, {"student": "ann"}, {"name": "doe, ann"}, {"name": "Ann Doe"}],
)
def test_a_downloaded_gradebook_is_filled_in(title, fields):
    """A student is found by any of the four columns, a name in either order; the rest of the class stays as it was."""
    exported = fill_canvas([make_line(**{"student": "x", **fields}, final=6.5)], title, DOWNLOADED)

    rows = rows_of(exported.text)
    assert "Attention (4567)" == rows[0][-1]
    assert ["10.00", "6.50", "9.00", "", ""] == [row[-1] for row in rows[1:]]
    assert [row[:5] for row in rows_of(DOWNLOADED)] == [row[:5] for row in rows]
    assert 1 == exported.written


def test_other_points_possible_in_canvas_are_told():
    """Grades out of 10 in an assignment of 5 points would be wrong by half, and an import does not change that."""
    other = DOWNLOADED.replace(",,(read only)", ",5.00,(read only)")
    same = DOWNLOADED.replace(",,(read only)", ",10,(read only)")

    [note] = fill_canvas([make_line("0007", 6.0)], "Attention", other).notes

    assert note.startswith("Canvas has 5.00 points possible for Attention (4567), the course 10.")
    [note] = fill_canvas([make_line("0007", 6.0)], "Attention", other.replace("5.00", "\x0c5\x0b\u2028")).notes
    assert 1 == len(note.splitlines())
    assert () == fill_canvas([make_line("0007", 6.0)], "Attention", same).notes
    with_commas = DOWNLOADED.replace(",", ";").replace("Doe; ", "Doe, ").replace(";;(read only)", ";12,00;(read only)")
    [note] = fill_canvas([make_line("0007", 6.0)], "Attention", with_commas).notes
    assert note.startswith("Canvas has 12,00 points possible")
    assert () == fill_canvas([make_line("0007", 6.0)], "Attention", DOWNLOADED).notes


def test_other_assignments_are_not_sent_back():
    """An old copy of another column could overwrite newer grades."""
    assert "Quiz" not in fill_canvas([], "Attention", DOWNLOADED).text


def test_a_title_that_is_not_there_becomes_a_new_column():
    """Canvas then makes the assignment."""
    rows = rows_of(fill_canvas([make_line("ann", 5.0)], "Attention 2", DOWNLOADED).text)

    assert ("Attention 2", "5.00", "") == (rows[0][-1], rows[2][-1], rows[3][-1])


@pytest.mark.parametrize("name", ["Roe, Bob", "Bob Roe"])
def test_a_name_that_two_students_have_gives_neither_the_grade(name):
    """Guessing would be wrong half of the time."""
    exported = fill_canvas([make_line("x", 5.0, name=name)], "Attention", DOWNLOADED)

    assert (f"x ({name}): not in Canvas's file",) == exported.left_out


def test_one_row_is_never_filled_twice():
    """Who is on the roster under another name is there twice: the work counts, and not the zero of who is absent."""
    worked = make_line("1234", 7.5, name="doeann")
    absent = make_line("0007", 0.0, status="not_submitted", name="Nan Doe")

    for lines in ([worked, absent], [absent, worked]):
        exported = fill_canvas(lines, "Attention", DOWNLOADED)

        assert ("7.50", 1) == (rows_of(exported.text)[2][-1], exported.written)
        [reason] = exported.left_out
        assert reason.startswith(
            "0007 (Nan Doe): has one row of Canvas's file with 1234 (doeann), who handed something in"
        )


def test_two_who_handed_in_share_no_row():
    """Nobody can tell here whose it is."""
    lines = [make_line("1234", 7.5), make_line("0007", 3.0)]

    exported = fill_canvas(lines, "Attention", DOWNLOADED)

    assert ("", 0) == (rows_of(exported.text)[2][-1], exported.written)
    assert ["1234: has one row of Canvas's file with 0007", "0007: has one row of Canvas's file with 1234"] == [
        reason.partition(";")[0] for reason in exported.left_out
    ]


def test_an_errored_hand_in_is_not_replaced_by_the_zero_of_its_double():
    """No grade is not zero."""
    lines = [make_line("1234", None, status="errored"), make_line("0007", 0.0, status="not_submitted")]

    assert ("", 0) == (rows_of((exported := fill_canvas(lines, "Attention", DOWNLOADED)).text)[2][-1], exported.written)


def test_an_id_is_not_taken_for_somebody_else_s_number_of_canvas():
    """Bob's own id is the number that Canvas gave Ann, and hers is his."""
    crossed = (
        'Student,ID,SIS User ID,SIS Login ID,Section\r\n"Doe, Ann",1001,2002,ann,A\r\n"Roe, Bob",2002,1001,bob,A\r\n'
    )
    ann = make_line("2002", 10.0, name="Ann Doe", platform_id="1001")
    bob = make_line("1001", 0.0, status="not_submitted", name="Bob Roe")

    for lines in ([ann, bob], [bob, ann]):
        assert ["10.00", "0.00"] == [row[-1] for row in rows_of(fill_canvas(lines, "A", crossed).text)[1:]]


def test_a_number_of_somebody_of_another_name_counts_only_if_numbers_are_the_class_s_ids():
    """Then a name that is written in another way says nothing against it."""
    columns = "Student,ID,Section\r\n"
    people = '"Doe, Ann",1,A\r\n"Roe, Bob",2,A\r\n"Lee, Robert",3,A\r\n'
    nick = make_line("3", 5.0, name="Bobby")

    alone = fill_canvas([nick], "A", columns + people)
    among = fill_canvas(
        [make_line("1", 1.0, name="Ann Doe"), make_line("2", 2.0, name="Bob Roe"), nick], "A", columns + people
    )

    assert ("3 (Bobby): not in Canvas's file",) == alone.left_out
    assert ["1.00", "2.00", "5.00"] == [row[-1] for row in rows_of(among.text)[1:]]


@pytest.mark.parametrize("standing", ["EX", "N/A"])
def test_who_is_excused_stays_excused(standing):
    """A zero there would be imported as a change."""
    excused = DOWNLOADED.replace("LLM 101,4.00,,80", f"LLM 101,4.00,{standing},80")

    exported = fill_canvas([make_line("0007", 0.0, status="not_submitted")], "Attention", excused)

    assert standing == rows_of(exported.text)[2][-1]
    assert (f"0007: Canvas has {standing} there, which stays",) == exported.left_out


def test_two_assignments_of_one_title_are_told_apart_by_their_number():
    """The first of them would be as good a guess as the second."""
    double = DOWNLOADED.replace("Quiz (11)", "Attention (11)")

    with pytest.raises(GradebookError, match=r"called Attention: Attention \(11\), Attention \(4567\)\. Say which"):
        fill_canvas([], "Attention", double)
    assert "Attention (11)" == rows_of(fill_canvas([], "Attention (11)", double).text)[0][-1]


def test_another_file_is_refused_with_what_to_do():
    """In one line; a roster is no gradebook either."""
    for header in ("Name,Points", "id,name,email,section"):
        found = header.replace(",", ", ")
        with pytest.raises(GradebookError, match=f"no gradebook of Canvas: .* found {found}. In Canvas: Grades"):
            fill_canvas([], "A", f"{header}\r\nAnn,3\r\n")


def test_a_refused_file_cannot_break_the_line_that_says_so():
    """A cell may hold line ends, and more characters than the reader of CSV takes."""
    with pytest.raises(GradebookError, match="it is not valid CSV"):
        fill_canvas([], "A", f"Student,ID,Section\r\n{'9' * 200_000}\r\n")
    for fill in (lambda text: fill_canvas([], "A", text), lambda text: fill_moodle([], text)):
        with pytest.raises(GradebookError) as caught:
            fill(f'Name,"two\r\nlines \x1b[31m",{"9" * 5000}\r\n')

        assert "found Name, two lines" in str(caught.value)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 600


def test_a_bonus_is_in_the_grade_only_where_that_is_asked_for():
    """A gradebook has no place for it: it is left out, or makes the grade more than all points."""
    line = make_line("7", 9.5)._replace(bonus=1.5, max_bonus=2.0)
    nobody = make_line("8", None, status="errored")

    for lines, expected in (([line, nobody], "9.5"), (with_bonus([line, nobody]), "11")):
        exported = export_canvas(lines, "Attention", from_canvas=False)
        points, row = rows_of(exported.text)[1:]
        assert ("10", expected) == (points[-1], row[-1])
        assert 1 == len(exported.left_out)
    assert "heads 9.5 of 10; bonus 1.5 of 2" == feedback_words(line)
