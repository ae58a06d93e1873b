"""What goes back to a class: reports, the table and the index."""

import csv
import random

import classes
import pytest
import samples

from grader.model.class_index import ClassIndex
from grader.model.feedback import FeedbackLevel
from grader.model.report import ScoreReport
from grader.model.student_result import PointsChange, Standing
from grader.report.class_folder import write_class_files

FULL = FeedbackLevel.FULL


def read_grades(folder):
    """The table as a reader of CSV sees it, with the BOM taken for what it is."""
    with open(folder / "grades.csv", encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def tree(folder):
    """Every file below a folder, with its bytes."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_every_student_gets_a_folder_a_row_and_an_entry(tmp_path):
    """Nobody is dropped, whatever became of the submission."""
    results = list(classes.make_class(120))

    index = write_class_files(results, tmp_path, feedback=FULL)

    ids = [result.student.id for result in results]
    assert ids == [row["id"] for row in read_grades(tmp_path)]
    assert ids == [entry.student.id for entry in index.students]
    assert 120 == sum(index.counts.values())
    assert {"graded", "not_submitted", "errored"} == set(index.counts)
    for entry in index.students:
        assert all((tmp_path / entry.folder / name).is_file() for name in entry.files)


def test_the_index_and_the_reports_read_back(tmp_path):
    """Programs need no guessing."""
    index = write_class_files(classes.make_class(5), tmp_path, feedback=FULL)

    assert index == ClassIndex.model_validate_json((tmp_path / "index.json").read_bytes())
    report = (tmp_path / index.students[0].folder / "report.json").read_bytes()
    assert ScoreReport.model_validate_json(report).submission.id == index.students[0].student.id


def test_equal_results_give_equal_bytes(tmp_path):
    """So that a second run changes nothing that anybody could notice."""
    for name in ("one", "two"):
        write_class_files(classes.make_class(20), tmp_path / name, feedback=FULL)

    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_excel_opens_the_table_as_utf8(tmp_path):
    """It takes a file without this mark for its own code page."""
    write_class_files([], tmp_path, feedback=FULL)

    assert (tmp_path / "grades.csv").read_bytes().startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize("name", classes.AWKWARD_NAMES)
def test_awkward_names_move_no_grade(tmp_path, name):
    """Each row has the points under their heading."""
    report = samples.full_marks()
    result = classes.graded(classes.make_student(7, name=name), report)

    write_class_files([result], tmp_path, feedback=FULL)

    [row] = read_grades(tmp_path)
    assert "00007" == row["id"]
    assert report.score == float(row["final"])
    assert not row["name"].startswith(("=", "+", "-", "@", "\t"))


def test_who_is_errored_has_no_grade_anywhere(tmp_path):
    """The grader's own fault must not become somebody's zero."""
    broken = classes.errored(classes.make_student(1), samples.grader_failed())

    index = write_class_files([broken], tmp_path, feedback=FULL)

    [row] = read_grades(tmp_path)
    assert "errored" == row["status"]
    points = {name: row[name] for name in row if name not in ("id", "name", "status", "max", "email", "section")}
    assert {""} == set(points.values())
    assert index.students[0].final is None


def test_an_incomplete_report_is_no_grade(tmp_path):
    """Points for a part of the course are not the points of the course."""
    partial = classes.graded(classes.make_student(1), samples.partial())

    write_class_files([partial], tmp_path, feedback=FULL)

    [row] = read_grades(tmp_path)
    assert ("incomplete", "") == (row["status"], row["final"])


def test_who_handed_in_nothing_has_a_zero_that_says_so(tmp_path):
    """Zero points is a grade; the status tells it from a bad submission."""
    write_class_files([classes.not_submitted(classes.make_student(1))], tmp_path, feedback=FULL)

    [row] = read_grades(tmp_path)
    assert ("not_submitted", "0", "20") == (row["status"], row["final"], row["max"])


def test_raw_late_and_adjustments_add_up_to_final(tmp_path):
    """An instructor can follow each grade from left to right."""
    report = classes.make_report(random.Random(1), 1.0)
    changes = (
        PointsChange(exercise="masking", criterion="easy", points=0.5, why="The task was unclear.", author="Ada"),
    )
    result = classes.graded(
        classes.make_student(1),
        report,
        final=report.score - 3 + 0.5,
        late_points=3,
        late_why="2 days late",
        adjustments=changes,
    )

    write_class_files([result], tmp_path, feedback=FULL)

    [row] = read_grades(tmp_path)
    assert float(row["raw"]) + float(row["late"]) + float(row["adjustments"]) == float(row["final"])
    assert "-3" == row["late"]
    page = (tmp_path / "students/00001/report.html").read_text("utf-8")
    assert "Handed in late, 3 points off: 2 days late." in page
    assert "0.5 points added in masking.easy by Ada: The task was unclear." in page
    assert "Handed in late, 3 points off" in (tmp_path / "students/00001/report.md").read_text("utf-8")
    assert "Handed in late, 3 points off" in (tmp_path / "students/00001/report.json").read_text("utf-8")


def test_a_criterion_that_one_student_lacks_stays_for_the_others(tmp_path):
    """Columns are those of the whole class, with blanks where a student has none."""
    one = classes.graded(classes.make_student(1), samples.full_marks())
    two = classes.graded(classes.make_student(2), classes.make_report(random.Random(2), 0.5))

    write_class_files([one, two], tmp_path, feedback=FULL)

    first, second = read_grades(tmp_path)
    assert "" == first["masking.easy"] != second["masking.easy"]
    assert "" == second["heads"] != first["heads"]


@pytest.mark.parametrize("level", samples.ALL_LEVELS)
def test_students_see_what_the_course_lets_them_see(tmp_path, level):
    """No file of a student holds a hidden value below the level that shows it."""
    result = classes.graded(classes.make_student(1), samples.ordinary())

    write_class_files([result], tmp_path, feedback=level)

    texts = [path.read_text("utf-8") for path in (tmp_path / "students/00001").iterdir()]
    shown = any("12 of 120 entries differ" in text for text in texts)
    assert 3 == len(texts)
    assert shown == (level is FULL)


def test_results_are_taken_one_at_a_time(tmp_path):
    """A class of thousands must fit: no report is kept when the next is asked for."""
    import gc
    import weakref

    alive = []

    def stream():
        for result in classes.make_class(30):
            gc.collect()
            assert sum(ref() is not None for ref in alive) <= 2
            alive.append(weakref.ref(result.report)) if result.report else None
            yield result

    write_class_files(stream(), tmp_path, feedback=FULL)

    assert 20 < len(alive)


def test_ids_that_differ_only_in_letter_case_have_folders_of_their_own(tmp_path):
    """Also where the file system does not tell them apart."""
    students = [classes.make_student(1, id=student) for student in ("ann", "Ann", "ANN", "a/../ann")]

    index = write_class_files([classes.not_submitted(student) for student in students], tmp_path, feedback=FULL)

    assert 4 == len({entry.folder.casefold() for entry in index.students})
    assert 4 == len(list((tmp_path / "students").iterdir()))


def test_a_chosen_format_is_the_only_one(tmp_path):
    """Who uploads Markdown needs no pages."""
    index = write_class_files(classes.make_class(1), tmp_path, feedback=FULL, formats=["markdown"])

    assert ("report.md",) == index.students[0].files


def test_a_student_whose_report_was_lost_is_listed_without_files(tmp_path):
    """The runner died: there is nothing to show, but somebody to look after."""
    index = write_class_files([classes.errored(classes.make_student(3))], tmp_path, feedback=FULL)

    assert () == index.students[0].files
    assert Standing.ERRORED.value == index.students[0].status


def test_a_file_that_holds_the_same_is_left_alone(tmp_path):
    """Synchronising a folder of thousands should move what has changed."""
    results = list(classes.make_class(6))
    write_class_files(results, tmp_path, feedback=FULL)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("report.*")}
    changed = results[0].model_copy(update={"adjustments": (), "late_points": 1.0, "late_why": "1 day late"})

    write_class_files([changed, *results[1:]], tmp_path, feedback=FULL)

    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("report.*")}
    touched = {path.parent.name for path in after if after[path] != before[path]}
    assert {results[0].student.id} == touched


def test_who_left_the_class_leaves_no_report_behind(tmp_path):
    """Only what the index of before lists is removed: other files in the folder are somebody's."""
    students = [classes.make_student(number) for number in (1, 2, 3)]
    everybody = [classes.graded(student, samples.full_marks()) for student in students]
    write_class_files(everybody, tmp_path, feedback=FULL)
    (tmp_path / "students/00002/notes.txt").write_text("mine")
    (tmp_path / "students/other").mkdir()
    gone = []

    write_class_files(everybody[:1], tmp_path, feedback=FULL, tell_gone=gone.append)

    assert ["00002", "00003"] == gone
    left = {str(path.relative_to(tmp_path / "students")) for path in (tmp_path / "students").rglob("*")}
    assert {"00001", "00001/report.html", "00001/report.md", "00001/report.json"} < left
    assert {"00002", "00002/notes.txt", "other"} == {path for path in left if not path.startswith("00001")}


def test_a_format_that_is_no_longer_asked_for_is_removed(tmp_path):
    """An old page beside a new text would say two things of one student."""
    results = [classes.graded(classes.make_student(1), samples.full_marks())]
    write_class_files(results, tmp_path, feedback=FULL)

    write_class_files(results, tmp_path, feedback=FULL, formats=["markdown"])

    assert ["report.md"] == [path.name for path in (tmp_path / "students/00001").iterdir()]


def test_an_index_that_was_tampered_with_removes_nothing_else(tmp_path):
    """It lies where others may write; no path in it is believed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "report.html").write_text("keep")
    (outside / "secret").write_text("keep")
    target = tmp_path / "graded"
    results = [classes.graded(classes.make_student(number), samples.full_marks()) for number in (1, 2)]
    write_class_files(results, target, feedback=FULL)
    index = (target / "index.json").read_text("utf-8")
    index = index.replace("students/00002", "../outside").replace('"report.md"', '"../../../outside/secret"')
    (target / "index.json").write_text(index, "utf-8")

    write_class_files(results[:1], target, feedback=FULL)

    assert {"report.html": "keep", "secret": "keep"} == {path.name: path.read_text() for path in outside.iterdir()}


def test_an_index_that_cannot_be_read_removes_nothing(tmp_path):
    """Perhaps it is another program's."""
    results = [classes.graded(classes.make_student(number), samples.full_marks()) for number in (1, 2)]
    write_class_files(results, tmp_path, feedback=FULL)
    (tmp_path / "index.json").write_text("[]")

    write_class_files(results[:1], tmp_path, feedback=FULL)

    assert (tmp_path / "students/00002/report.html").is_file()
