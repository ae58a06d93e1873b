"""Write what goes back to a class: a folder for each student, the table of grades, and an index."""

import contextlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from grader.model.class_index import ClassIndex, IndexEntry
from grader.model.feedback import FeedbackLevel
from grader.model.redaction import redact_report
from grader.model.report import CourseStamp
from grader.model.student_line import StudentLine, line_of
from grader.model.student_result import StudentResult
from grader.report.atomic import write_atomically
from grader.report.folder_names import folder_name
from grader.report.grade_words import grade_sentences
from grader.report.grades_table import GradesTable

_FILES: Final = {"html": "report.html", "markdown": "report.md", "json": "report.json"}
FORMATS: Final = tuple(_FILES)

STUDENTS: Final = "students"
GRADES: Final = "grades.csv"
INDEX: Final = "index.json"


def write_class_files(
    results: Iterable[StudentResult],
    directory: Path,
    *,
    feedback: FeedbackLevel,
    formats: Sequence[str] = FORMATS,
    tell_gone: Callable[[str], None] | None = None,
    waiting: Collection[str] = (),
) -> ClassIndex:
    """
    Write ``students/NAME/report.*`` for each student, ``grades.csv`` and ``index.json`` into a folder.

    Results are taken one at a time, so memory does not grow with their reports. Each file takes the place of an older
    one at once; the index comes last, so a folder whose index is there is whole. Equal results give equal bytes, and a
    file that holds them already is left alone. What the index of before lists and this one does not is removed, but
    for who still waits: a report of somebody who left the class should not lie among the others.

    Args:
        results: Every student of the class, in the order in which the table lists them.
        directory: Made if it is not there. Files that no index of ours lists stay.
        feedback: How much of a report a student may see.
        formats: Which of ``html``, ``markdown`` and ``json`` a student gets.
        tell_gone: Is told of each student who is no longer in the class and whose files were removed.
        waiting: Ids of students who have no result yet, and keep what was written for them before. Looked at when all
            results were taken.

    Returns:
        The index as it was written.

    Raises:
        GraderError: If a file cannot be written; the files before it are whole.
    """
    entries: list[IndexEntry] = []
    course: CourseStamp | None = None
    with GradesTable() as table:
        for result in results:
            line = line_of(result)
            table.add(line)
            entries.append(_write_student(result, line, directory, feedback, formats))
            course = course or (result.report.course if result.report else None)
        table.write(directory / GRADES)
    index = ClassIndex(
        course=course,
        feedback=feedback,
        counts=dict(sorted(Counter(entry.status for entry in entries).items())),
        students=tuple(entries),
    )
    for student in _remove_stale(directory, index, waiting):
        if tell_gone:
            tell_gone(student)
    write_atomically(directory / INDEX, index.model_dump_json(indent=2) + "\n")
    return index


def _remove_stale(directory: Path, index: ClassIndex, waiting: Collection[str]) -> Iterator[str]:
    """
    Remove what the index of before says that we wrote and the new one does not have; yield who has left the class.

    It is done before the new index is there: interrupted, the old one still knows what to remove.
    """
    now = {entry.student.id: entry for entry in index.students}
    for entry in _index_of_before(directory):
        # Not the folder that the file names: whoever can edit it could name any.
        folder = directory / STUDENTS / folder_name(entry.student.id)
        kept = now.get(entry.student.id)
        if folder.is_symlink() or (kept is None and entry.student.id in waiting):
            continue
        for name in {*entry.files} & {*_FILES.values()} - {*(kept.files if kept else ())}:
            with contextlib.suppress(OSError):
                (folder / name).unlink()
        if kept is None and entry.files:
            with contextlib.suppress(OSError):  # somebody else keeps something there
                folder.rmdir()
            yield entry.student.id


def _index_of_before(directory: Path) -> Sequence[IndexEntry]:
    try:
        return ClassIndex.model_validate_json((directory / INDEX).read_bytes()).students
    except (OSError, ValidationError):
        return ()


def render_student(result: StudentResult, feedback: FeedbackLevel, formats: Sequence[str] = FORMATS) -> dict[str, str]:
    """Return a student's files by name, at a feedback level; empty if there is no report."""
    if result.report is None:
        return {}
    report = redact_report(result.report, feedback)
    grade = grade_sentences(result)
    files = {}
    # Imported when needed: the page's template takes longer to load than a table of grades to write.
    if "html" in formats:
        from grader.report.html import render_html

        files[_FILES["html"]] = render_html(report, grade=grade)
    if "markdown" in formats:
        from grader.report.markdown import render_markdown

        files[_FILES["markdown"]] = render_markdown(report, grade=grade)
    if "json" in formats:
        from grader.report.json_report import render_json

        # A score report has no place for a grade, and programs expect the report that `grade schema` describes.
        files[_FILES["json"]] = render_json(report.model_copy(update={"notes": (*grade, *report.notes)}))
    return files


def _write_student(
    result: StudentResult, line: StudentLine, directory: Path, feedback: FeedbackLevel, formats: Sequence[str]
) -> IndexEntry:
    folder = f"{STUDENTS}/{folder_name(result.student.id)}"
    files = render_student(result, feedback, formats)
    for name, text in files.items():
        write_atomically(directory / folder / name, text)
    return IndexEntry(
        student=line.student,
        status=line.status,
        folder=folder,
        files=tuple(files),
        raw=line.raw,
        late=line.late or 0.0,
        adjustments=line.adjustments or 0.0,
        final=line.final,
        max_score=line.max_score,
        bonus=line.bonus or 0.0,
        max_bonus=line.max_bonus,
        flags=line.flags,
        sha256=result.report.submission.sha256 if result.report else "",
        in_roster=line.in_roster,
    )
