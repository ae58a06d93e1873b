"""Read the roster: who is in the class."""

import csv
import io
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, time
from pathlib import Path

from grader.intake.limits import MAX_ROSTER_BYTES, in_words
from grader.intake.membership import show_path
from grader.model.classroom import Student
from grader.model.errors import SubmissionError
from grader.model.names import name_keys, name_words, names_agree, names_differ

_COLUMNS = {
    "id": ("id", "student id", "user id", "username", "user name", "login"),
    "name": ("name", "full name", "student", "student name"),
    "email": ("email", "e-mail", "email address", "e-mail address", "mail"),
    "section": ("section", "group"),
    "extension": ("extension", "extended until"),
}
_DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[ T,]+(\d{1,2}:\d\d)(?::\d\d)?)?")
# ``="007"`` is how gradebooks keep spreadsheets from dropping the zeros.
_QUOTED_FORMULA = re.compile(r'="(.*)"')
_SEPARATORS = ",;\t"


def read_roster(path: Path) -> tuple[Student, ...]:
    """
    Return the students of a roster, in its order.

    Args:
        path: CSV in UTF-8 with a header: ``id``, and any of ``name``, ``email``, ``section``, ``extension``, in any
            letter case. Commas, semicolons or tabs, whichever the header has.

    Raises:
        SubmissionError: If it cannot be read, naming line and column.
    """
    text = _read_text(path)
    first, _, rest = text.partition("\n")
    declared = re.fullmatch(r"sep=(.)\s*", first, re.IGNORECASE)  # Excel reads this line, and may leave it there
    skipped = 1 if declared else 0
    header_line = (rest if declared else text).lstrip("\n").partition("\n")[0]
    separator = declared[1] if declared else max(_SEPARATORS, key=header_line.count)
    reader = csv.reader(io.StringIO(rest if declared else text), delimiter=separator, strict=True)
    students: list[Student] = []
    lines: list[int] = []
    columns: dict[str, int] | None = None
    width = 0
    before = 0
    try:
        for cells in reader:
            line, before = before + 1 + skipped, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if columns is None:
                columns, width = _read_header(path, line, cells), len(cells)
                continue
            if any(cell.strip() for cell in cells[width:]):
                raise SubmissionError(
                    f"{path} line {line}: expected {width} cells as in the header, found {len(cells)}; put quotes "
                    f"around a cell that holds a “{separator}”"
                )
            students.append(_read_student(path, line, cells, columns))
            lines.append(line)
    except csv.Error as error:
        raise SubmissionError(f"{path} line {reader.line_num + skipped}: it is not valid CSV ({error})") from None
    if columns is None:
        raise SubmissionError(f"{path}: expected a header such as id,name,email,section,extension; found nothing")
    for first_one, second in colliding([student.id for student in students]):
        raise SubmissionError(
            f"{path} lines {lines[first_one]} and {lines[second]}, column id: "
            f"{_differ(students[first_one].id, students[second].id)}; each student needs an id of their own"
        )
    return tuple(students)


def fold_id(student_id: str) -> str:
    """Return an id without what systems disagree about: letter case, Unicode form, width, spaces around it."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", student_id).casefold()).strip()


def colliding(ids: Sequence[str]) -> Iterable[tuple[int, int]]:
    """Yield the positions of each two ids that are one to some systems."""
    seen: dict[str, int] = {}
    for position, student_id in enumerate(ids):
        other = seen.setdefault(fold_id(student_id), position)
        if other != position:
            yield other, position


def refuse_collisions(ids: Sequence[str], where: str) -> None:
    """
    Refuse ids of which two are one to some systems.

    Raises:
        SubmissionError: With both names.
    """
    for first, second in colliding(ids):
        raise SubmissionError(
            f"{where}: {_differ(ids[first], ids[second])}, so their grades could be mixed up; rename one"
        )


class RosterIndex:
    """Finds the student that a download means, which may call people by something else than their id."""

    def __init__(self, students: Sequence[Student]) -> None:
        self._by_id = {fold_id(student.id): student for student in students}
        self._by_email: dict[str, list[Student]] = defaultdict(list)
        self._by_name: dict[str, list[Student]] = defaultdict(list)
        for student in students:
            if student.email:
                self._by_email[fold_id(student.email)].append(student)
                self._by_email[fold_id(student.email.partition("@")[0])].append(student)
            for key in name_keys(student.name):
                self._by_name[key].append(student)

    def find(self, student: Student, *, own_ids: bool) -> Student | None:
        """
        Return the roster's entry for somebody, or ``None`` if there is none or several could be meant.

        Args:
            student: As the download calls them.
            own_ids: Whether the platform numbers people by itself: the same number on the roster may be chance, so
                it only counts if the names do not speak against it.
        """
        same = self._by_id.get(fold_id(student.id))
        if same and not (own_ids and names_differ(student.name, same.name)):
            return same
        for index, keys in (
            (self._by_email, [fold_id(student.email), "" if own_ids else fold_id(student.id)]),
            (self._by_name, [] if student.name else self._keys(student.model_copy(update={"name": student.id}))),
            (self._by_name, self._keys(student)),
        ):
            found = {one.id: one for key in keys if key for one in index.get(key, ())}
            if len(found) == 1:
                return next(iter(found.values()))
        return None

    def numbers_are_shared(self, students: Sequence[Student]) -> bool:
        """
        Return whether the roster's ids are the platform's own numbers, as in a roster made from its gradebook.

        They are if more than half of a download's people have the number of somebody of the same name. Then a name
        that is written in another way, such as in other letters, says nothing against a number.
        """
        agreeing = 0
        for student in students:
            same = self._by_id.get(fold_id(student.id))
            agreeing += bool(same and names_agree(student.name, same.name))
        return 2 * agreeing > len(students)

    @staticmethod
    def _keys(student: Student) -> list[str]:
        words = name_words(student.name)
        return ["".join(words), "".join(sorted(words))] if words else []


def _differ(first: str, second: str) -> str:
    if first == second:
        return f"the id {first!r} is there twice"
    shown = (ascii(first), ascii(second)) if show_path(first) == show_path(second) else (repr(first), repr(second))
    if unicodedata.normalize("NFC", first) == unicodedata.normalize("NFC", second):
        shown = (ascii(first), ascii(second))
    return f"the ids {shown[0]} and {shown[1]} are the same but for letter case or Unicode form"


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_ROSTER_BYTES + 1)
    except OSError as error:
        raise SubmissionError(f"{path}: the roster cannot be opened ({error.strerror or error})") from None
    if len(data) > MAX_ROSTER_BYTES:
        raise SubmissionError(f"{path}: expected a roster, found more than {in_words(MAX_ROSTER_BYTES)}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SubmissionError(
            f"{path} line {line}: it is not UTF-8; save it from the spreadsheet as “CSV UTF-8”"
        ) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise SubmissionError(f"{path} line {line}: found a NUL byte; save it from the spreadsheet as “CSV UTF-8”")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _read_header(path: Path, line: int, cells: list[str]) -> dict[str, int]:
    """Return the position of each column that is known."""
    columns: dict[str, int] = {}
    for position, cell in enumerate(cells):
        name = re.sub(r"[\s_]+", " ", cell.strip().casefold())
        for column, names in _COLUMNS.items():
            if name not in names:
                continue
            if column in columns:
                other = cells[columns[column]].strip()
                raise SubmissionError(
                    f"{path} line {line}, column {cell.strip()}: the column {other} already says the {column}"
                )
            columns[column] = position
    if "id" not in columns:
        found = ", ".join(repr(cell.strip()) for cell in cells[:6])
        raise SubmissionError(
            f"{path} line {line}: expected a header with a column id (and name, email, section, extension if you "
            f"like), found {found}"
        )
    return columns


def _read_student(path: Path, line: int, cells: list[str], columns: dict[str, int]) -> Student:
    values = {column: _cell(cells, position) for column, position in columns.items()}
    if not values["id"]:
        raise SubmissionError(f"{path} line {line}, column id: expected the student's id, found nothing")
    for column, value in values.items():
        if any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in value):
            raise SubmissionError(
                f"{path} line {line}, column {column}: found a line break or another character that cannot be shown"
            )
    extension = values.pop("extension", "")
    return Student(**values, extension=_read_extension(path, line, extension) if extension else None)


def _cell(cells: list[str], position: int) -> str:
    text = cells[position].strip() if position < len(cells) else ""
    formula = _QUOTED_FORMULA.fullmatch(text)
    return unicodedata.normalize("NFC", formula[1].strip() if formula else text)


def _read_extension(path: Path, line: int, text: str) -> datetime:
    """Return a deadline; a day without a time lasts until its end."""
    found = _DAY_FIRST.fullmatch(text)
    try:
        if found:
            day, month, year = (int(found[group]) for group in (1, 2, 3))
            text = f"{year:04}-{month:02}-{day:02}" + (f"T{found[4]:0>5}" if found[4] else "")
        deadline = datetime.fromisoformat(text)
    except ValueError:
        raise SubmissionError(
            f"{path} line {line}, column extension: expected a deadline such as 2026-12-01 or 2026-12-01 18:00, "
            f"found {text!r}"
        ) from None
    whole_day = re.fullmatch(r"\d{4}-?\d\d-?\d\d|\d{4}-?W\d\d-?\d", text)
    return datetime.combine(deadline.date(), time(23, 59, 59)) if whole_day else deadline
