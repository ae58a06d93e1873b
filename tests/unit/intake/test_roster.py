"""The roster: who is in the class, from whatever a spreadsheet made of it."""

import csv
import io
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake.roster import RosterIndex, read_roster
from grader.model.classroom import Student
from grader.model.errors import SubmissionError


def roster(tmp_path: Path, content: str | bytes) -> tuple[Student, ...]:
    """Read a roster of this content."""
    file = tmp_path / "roster.csv"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_roster(file)


@pytest.mark.parametrize(
    "content",
    [
        'id,name,email\n007,"García, Pepe",pepe@uni.test\n',
        "ID;Name;E-Mail\r\n007;García, Pepe;pepe@uni.test\r\n;;\r\n",
        '\ufeffEmail\tStudent ID\tFull Name\npepe@uni.test\t="007"\tGarci\u0301a, Pepe\n',
        'sep=;\n\n Name ; id ;comment;email\n"García, Pepe"; 007 ;x;pepe@uni.test',
    ],
    ids=["plain", "as Excel writes it", "mark and tabs", "sep line"],
)
def test_a_spreadsheets_file_is_read(tmp_path: Path, content: str) -> None:
    """Whatever the separator, the letter case and the order; zeros in front stay, unknown columns do no harm."""
    assert (Student(id="007", name="García, Pepe", email="pepe@uni.test"),) == roster(tmp_path, content)


def test_an_extension_is_a_deadline(tmp_path: Path) -> None:
    """A day lasts until its end; spreadsheets write dates their own way; no time zone means the course's."""
    text = (
        "id,extension\na,2026-12-01\nb,2026-12-01 18:30\nc,01.12.2026\nd,1.12.2026 9:05\ne,\nf,2026-12-01T18:30+01:00\n"
    )

    deadlines = [student.extension for student in roster(tmp_path, text)]

    assert [
        datetime(2026, 12, 1, 23, 59, 59),
        datetime(2026, 12, 1, 18, 30),
        datetime(2026, 12, 1, 23, 59, 59),
        datetime(2026, 12, 1, 9, 5),
        None,
        datetime(2026, 12, 1, 18, 30, tzinfo=timezone(timedelta(hours=1))),
    ] == deadlines


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected a header such as id,name,email,section,extension; found nothing"),
        ("name,email\nAnn,a@b\n", r"line 1: expected a header with a column id .*, found 'name', 'email'"),
        ("id,name\n\nann,Ann\n,Bob\n", "line 4, column id: expected the student's id, found nothing"),
        (
            "id,extension\nann,12/01/2026\n",
            r"line 2, column extension: expected a deadline such as 2026-12-01 .*, found",
        ),
        ("id,extension\nann,31.02.2026\n", "line 2, column extension: expected a deadline"),
        ("id,name\nann,Doe, Ann\n", "line 2: expected 2 cells as in the header, found 3; put quotes around"),
        ("id,name\nann,A\nbob,B\nann,C\n", "lines 2 and 4, column id: the id 'ann' is there twice"),
        ("id,name\nAnn,A\nann,B\n", "lines 2 and 3, column id: the ids 'Ann' and 'ann' are the same but for letter"),
        ("id\nJos\u00e9\nＪosé\n", r"the ids 'José' and 'Ｊosé' are the same"),
        ("id,ID\na,b\n", "line 1, column ID: the column id already says the id"),
        (b"id,name\nann,Garc\xeda\n", "line 2: it is not UTF-8; save it from the spreadsheet as “CSV UTF-8”"),
        ("id\nan\0n\n", "line 2: found a NUL byte"),
        ('id,name\nann,"Doe\n', "it is not valid CSV"),
        ('id,name\nann,"Doe\nAnn"\n', "line 2, column name: found a line break"),
        ('id,name\nann,"Doe\nAnn"\nbob\n,x\n', "line 2, column name"),
    ],
)
def test_a_mistake_is_named_by_line_and_column(tmp_path: Path, content: str | bytes, message: str) -> None:
    """Nobody is graded by a roster that is only half understood."""
    with pytest.raises(SubmissionError, match=message) as raised:
        roster(tmp_path, content)
    assert "\n" not in str(raised.value)


def test_a_roster_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    """With its path."""
    with pytest.raises(SubmissionError, match=r"none.csv: the roster cannot be opened \(No such file"):
        read_roster(tmp_path / "none.csv")


_TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), max_size=20)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**6), _TEXT, _TEXT), min_size=1, max_size=8, unique_by=lambda row: row[0]))
def test_what_a_spreadsheet_quotes_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    """Names may hold separators, quotes and anything that can be shown."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=";", lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "name", "section"), *rows])

    students = roster(tmp_path_factory.mktemp("roster"), stream.getvalue())

    assert [f"{number}" for number, _, _ in rows] == [student.id for student in students]


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """In one line, whatever they are."""
    message = ""
    try:
        roster(tmp_path_factory.mktemp("roster"), b"id,name\n" + content)
    except SubmissionError as error:
        message = str(error)

    assert "\n" not in message


@pytest.mark.parametrize(
    ("student", "own_ids", "found"),
    [
        (Student(id="A12"), False, "a12"),
        (Student(id="ann@uni.test"), False, "a12"),
        (Student(id="Ann.Doe"), False, "a12"),
        (Student(id="Doe, Ann"), False, "a12"),
        (Student(id="98765", name="doeann"), True, "a12"),
        (Student(id="98765", name="Ánn Doe"), True, "a12"),
        (Student(id="4711", email="ann@uni.test"), True, "a12"),
        (Student(id="77", name="doeann"), True, "a12"),
        (Student(id="77", name="leebob"), True, "77"),
        (Student(id="77"), True, "77"),
        (Student(id="1", name="kimsam"), True, None),
        (Student(id="nobody"), False, None),
    ],
)
def test_people_are_found_by_what_the_download_calls_them(student: Student, own_ids: bool, found: str | None) -> None:
    """Id, address or name; a number of the platform's own counts only if the name does not speak against it."""
    index = RosterIndex(
        [
            Student(id="a12", name="Ann Doe", email="Ann@uni.test"),
            Student(id="77", name="Lee, Bob", email="ann.doe@other.test"),
            Student(id="s1", name="Sam Kim"),
            Student(id="s2", name="Kim Sam"),
        ]
    )
    if student.id == "Ann.Doe":
        # The part in front of another person's address.
        found = "77"

    match = index.find(student, own_ids=own_ids)

    assert found == (match.id if match else None)
