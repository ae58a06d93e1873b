"""What is written into nbgrader's gradebook, read back with nbgrader's own API."""

import shutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from grader.grading.errored import errored_report
from grader.model.classroom import Student
from grader.model.course import Course
from grader.model.feedback import FeedbackLevel
from grader.model.late import Lateness
from grader.model.report import CheckResult, ScoreReport
from grader.model.scoring import score_exercise
from grader.model.student_result import PointsChange, Standing, StudentResult
from grader.model.submission import Submission
from grader.model.verdict import Verdict
from tests.cli.nbgrader_class import gradebook, run
from tests.conftest import MINI_COURSE

pytest.importorskip("nbgrader", reason="the extra nbgrader is not installed")

ANN = Student(id="ann", name="Doe, Ann", email="ann@uni.test")
DUE = datetime(2026, 11, 20, 10, tzinfo=UTC)
LATE = datetime(2026, 11, 22, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An nbgrader course with the miniature course as its assignment."""
    course = tmp_path_factory.mktemp("generated")
    run(course, "grade", "nbgrader", "source", ".", "--course", str(MINI_COURSE))
    run(course, "nbgrader", "generate_assignment", "mini")
    return course


@pytest.fixture
def course_dir(generated: Path, tmp_path: Path) -> Path:
    """A copy of it, in which Ann has handed in what was handed out."""
    course = tmp_path / "course"
    shutil.copytree(generated, course)
    shutil.copytree(course / "release" / "mini", course / "submitted" / "ann" / "mini")
    return course


def report_of(course: Course, verdicts: Mapping[str, Verdict] | None = None) -> ScoreReport:
    """A report in which every check has passed, but for these."""
    exercises = []
    nothing = errored_report(course, [exercise.id for exercise in course.exercises], Submission(id="ann"), 1, "")
    for exercise, empty in zip(course.exercises, nothing.exercises, strict=True):
        given = {check: (verdicts or {}).get(check, Verdict.PASSED) for check in exercise.claims}
        results = {check: CheckResult(id=check, title=check, verdict=verdict) for check, verdict in given.items()}
        criteria = score_exercise(exercise, results)
        score = sum(criterion.score for criterion in criteria)
        exercises.append(empty.model_copy(update={"criteria": criteria, "score": score}))
    errored = Verdict.ERRORED in (verdicts or {}).values()
    update = {"exercises": tuple(exercises), "score": sum(each.score for each in exercises), "complete": not errored}
    return nothing.model_copy(update={**update, "notes": ()})


def result_of(report: ScoreReport, **about: Any) -> StudentResult:
    """What became of Ann."""
    given = {"standing": Standing.GRADED if report.complete else Standing.ERRORED, "submitted_at": LATE, **about}
    return StudentResult(student=ANN, report=report, max_score=report.max_score, **given)


def write(course_dir: Path, result: StudentResult, *, has_deadline: bool = False) -> list[str]:
    """Write Ann's result, and return what a teacher is told."""
    from grader.gradebooks.nbgrader import Target, write_results
    from grader.notebook.submitted import read_submitted

    target = Target(course_dir, "mini")
    (written,) = write_results(target, [result], FeedbackLevel.FULL, read_submitted, has_deadline=has_deadline)
    return list(written.notes)


class Anns(dict[str, Any]):
    """Ann's grades by cell, with what formgrader would do to them."""

    def give(self, cell: str, points: float) -> None:
        """Give points by hand, as formgrader saves them."""
        self[cell].manual_score = points
        self[cell].needs_manual_grade = False


@pytest.fixture
def anns(course_dir: Path) -> Any:
    """Open Ann's grades, and keep what is changed."""
    from contextlib import contextmanager

    @contextmanager
    def opened() -> Iterator[Anns]:
        with gradebook(course_dir) as book:
            found = book.find_submission_notebook("mini", "mini", "ann")
            yield Anns({grade.name: grade for grade in found.grades})
            book.db.commit()

    return opened


def row(course_dir: Path) -> tuple[float, float, bool]:
    """Ann's score and penalty, and whether somebody has to look, as formgrader lists them."""
    with gradebook(course_dir) as book:
        found = book.find_submission("mini", "ann")
        return found.score, found.late_submission_penalty, found.needs_manual_grade


def test_lateness_is_taken_off_as_the_course_says(course_dir: Path, mini_course: Course) -> None:
    """nbgrader keeps score and penalty apart, and exports the difference."""
    report = report_of(mini_course, {"refuses_negative_times": Verdict.FAILED})  # 6 of 7 points
    late = Lateness(deadline=DUE, submitted_at=LATE, late=True, days=2, percent=20)

    write(course_dir, result_of(report, lateness=late), has_deadline=True)
    assert (6.0, 1.2, False) == row(course_dir)

    write(course_dir, result_of(report, lateness=late.model_copy(update={"of": "possible"})), has_deadline=True)
    assert (6.0, 1.4, False) == row(course_dir)

    write(course_dir, result_of(report, lateness=late.model_copy(update={"cut_off": True})), has_deadline=True)
    assert (6.0, 6.0, False) == row(course_dir)

    write(course_dir, result_of(report), has_deadline=True)
    assert (6.0, 0.0, False) == row(course_dir)


def test_lateness_is_taken_off_points_that_a_person_gave(course_dir: Path, mini_course: Course, anns: Any) -> None:
    """Ten per cent of the points are ten per cent of all of them."""
    report = report_of(mini_course, {"doubles_and_shifts": Verdict.FAILED})  # 4 of 7 points
    result = result_of(report, lateness=Lateness(deadline=DUE, submitted_at=LATE, late=True, days=1, percent=10))
    write(course_dir, result, has_deadline=True)
    with anns() as grades:
        grades.give("layer-values", 2.0)

    write(course_dir, result, has_deadline=True)

    assert (6.0, 0.6, False) == row(course_dir)


def test_lateness_leaves_the_bonus(course_dir: Path, mini_course: Course) -> None:
    """Bonus points are in no total, so no percentage of them is taken either."""
    report = report_of(mini_course)
    double, layer = report.exercises
    *others, refusal = double.criteria
    double = double.model_copy(update={"criteria": (*others, refusal.model_copy(update={"bonus": True}))})
    report = report.model_copy(update={"exercises": (double, layer)})
    late = Lateness(deadline=DUE, submitted_at=LATE, late=True, days=1, percent=50)

    write(course_dir, result_of(report, lateness=late), has_deadline=True)

    assert (7.0, 3.0, False) == row(course_dir)  # half of 6, and 1 of bonus as extra credit


def test_without_a_deadline_lateness_is_the_affair_of_nbgraders_plugin(course_dir: Path, mini_course: Course) -> None:
    """A course that has its deadline in nbgrader goes on with it, extensions included."""
    with (course_dir / "nbgrader_config.py").open("a") as config:
        config.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    with gradebook(course_dir) as book:
        book.update_or_create_assignment("mini", duedate="2026-11-20 10:00:00 UTC")
    result = result_of(report_of(mini_course))

    write(course_dir, result)
    assert (7.0, 7.0, False) == row(course_dir)

    with gradebook(course_dir) as book:
        book.grant_extension("mini", "ann", days=3)
    write(course_dir, result)
    assert (7.0, 0.0, False) == row(course_dir)


def test_what_the_grader_could_not_decide_waits_for_a_person(course_dir: Path, mini_course: Course, anns: Any) -> None:
    """No points that nobody gave, until a person gives some or a later grading can."""
    report = report_of(mini_course, {"doubles": Verdict.ERRORED, "doubles_and_shifts": Verdict.NOT_ASSESSED})

    notes = write(course_dir, result_of(report))

    assert [
        "double-values needs a person: the checks did not decide it",
        "layer-values needs a person: the checks did not decide it",
    ] == notes
    assert (2.0, 0.0, True) == row(course_dir)
    with anns() as grades:
        waiting = {name: (grade.auto_score, grade.needs_manual_grade) for name, grade in grades.items()}
        assert {
            "double-values": (None, True),
            "double-gradients": (1.0, False),
            "double-refusal": (1.0, False),
            "layer-values": (None, True),
        } == waiting
        grades.give("layer-values", 2.5)

    assert ["double-values needs a person: the checks did not decide it"] == write(course_dir, result_of(report))
    assert (4.5, 0.0, True) == row(course_dir)

    write(course_dir, result_of(report_of(mini_course, {"doubles_and_shifts": Verdict.NOT_ASSESSED})))
    assert (6.5, 0.0, False) == row(course_dir)


def test_a_whole_submission_that_the_grader_failed_at_waits(course_dir: Path, mini_course: Course) -> None:
    """It is in formgrader's list of what to look at, and nowhere full or zero points by the checks."""
    report = errored_report(mini_course, ["double", "layer"], Submission(id="ann"), 1, "no memory")

    write(course_dir, result_of(report))

    with gradebook(course_dir) as book:
        found = book.find_submission_notebook("mini", "mini", "ann")
        assert [(None, True)] * 4 == [(grade.auto_score, grade.needs_manual_grade) for grade in found.grades]


def test_an_adjustment_decides_what_the_checks_could_not(course_dir: Path, mini_course: Course, anns: Any) -> None:
    """`grade adjust` is a person, too."""
    report = report_of(mini_course, {"doubles": Verdict.ERRORED})
    adjusted = PointsChange(exercise="double", criterion="values", points=1.5, why="Read.", author="me")

    notes = write(course_dir, result_of(report, standing=Standing.GRADED, adjustments=(adjusted,)))

    assert [] == notes
    assert (6.5, 0.0, False) == row(course_dir)


def test_other_points_by_the_checks_are_shown_to_who_gave_points_by_hand_until_looked_at(
    course_dir: Path, mini_course: Course, anns: Any
) -> None:
    """What a person gave stays, but was given for something else; a third run is no look."""
    write(course_dir, result_of(report_of(mini_course, {"doubles_and_shifts": Verdict.FAILED})))
    with anns() as grades:
        grades.give("layer-values", 2.0)
        grades["double-values"].extra_credit = 0.5

    notes = write(course_dir, result_of(report_of(mini_course)))

    assert ["layer-values was graded by hand and now gets 3 by the checks; look again"] == notes
    assert (6.5, 0.0, True) == row(course_dir)
    assert [] == write(course_dir, result_of(report_of(mini_course)))
    assert (6.5, 0.0, True) == row(course_dir)
    with anns() as grades:
        grades.give("layer-values", 2.0)
    assert [] == write(course_dir, result_of(report_of(mini_course)))
    assert (6.5, 0.0, False) == row(course_dir)


def test_names_of_the_roster_are_made_known(course_dir: Path, mini_course: Course) -> None:
    """Formgrader lists people, not numbers."""
    write(course_dir, result_of(report_of(mini_course)))

    with gradebook(course_dir) as book:
        student = book.find_student("ann")
        assert ("Ann", "Doe", "ann@uni.test") == (student.first_name, student.last_name, student.email)


def test_who_handed_in_nothing_is_known_and_has_no_submission(course_dir: Path, mini_course: Course) -> None:
    """As nbgrader has it."""
    result = result_of(report_of(mini_course), standing=Standing.NOT_SUBMITTED)

    assert ["handed in nothing"] == write(course_dir, result)
    with gradebook(course_dir) as book:
        assert ["ann"] == [student.id for student in book.students]
        assert [] == book.submission_dicts("mini")
