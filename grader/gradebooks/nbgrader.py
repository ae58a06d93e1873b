"""Write grades into nbgrader's gradebook, and notebooks where its formgrader looks.

Everything goes through nbgrader's own API, so formgrader, `nbgrader generate_feedback` and `nbgrader export` go on from
there. What a person has decided there is never touched, but for the extra credit of a bonus cell: nbgrader does not say
who gave it, and it is this kit's.
"""

import importlib
import shutil
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from grader.model.feedback import FeedbackLevel
from grader.model.redaction import redact_report
from grader.model.report import ScoreReport
from grader.model.student_result import Standing, StudentResult
from grader.notebook.mend import Released, is_ours, mend, new_cell, released_cells
from grader.notebook.missing import NbgraderError, import_nbgrader
from grader.notebook.released import Place, answered_in, place_of
from grader.notebook.show_grades import criteria_of, is_decided, show_grades
from grader.notebook.shown import exercise_comment
from grader.report.atomic import write_atomically
from grader.report.harmless import harmless_line

_TIMESTAMP = "timestamp.txt"
_NO_RESPONSE = "No response."
_NAMED = 5
"""Of more students with the same problem the others are counted."""


class Written(NamedTuple):
    """What became of one student."""

    student: str
    notes: tuple[str, ...]


class Target:
    """
    An assignment in an nbgrader course.

    Args:
        course_dir: The folder with ``nbgrader_config.py`` and ``gradebook.db``.
        assignment: What nbgrader calls it.

    Raises:
        NbgraderError: If nbgrader is not installed, or `nbgrader generate_assignment` has not been run.
    """

    def __init__(self, course_dir: Path, assignment: str) -> None:
        self.course_dir = course_dir.resolve()
        self.assignment = assignment
        with _quiet():
            self._api = import_nbgrader("nbgrader.api")
            self.config = _load_config(self.course_dir)
            self._directory = import_nbgrader("nbgrader.coursedir").CourseDirectory(config=self.config)
        self.db_url: str = self._directory.db_url
        with self.gradebook() as gradebook:
            try:
                found = gradebook.find_assignment(assignment)
            except self._api.MissingEntry:
                known = ", ".join(each.name for each in gradebook.assignments) or "none"
                raise NbgraderError(
                    f"{self.course_dir}: nbgrader knows no assignment {assignment!r} (it has: {known}). "
                    f"In that folder: nbgrader generate_assignment {assignment}"
                ) from None
            self.notebooks = {
                notebook.name: cells for notebook in found.notebooks if is_ours(cells := released_cells(notebook))
            }
        if not self.notebooks:
            raise NbgraderError(
                f"{assignment}: no notebook of it has cells that this kit grades. "
                f"Write one with: grade nbgrader source {course_dir}"
            )

    @property
    def exercises(self) -> tuple[str, ...]:
        """The exercises whose criteria the assignment grades."""
        names = [cell.exercise for cells in self.notebooks.values() for cell in cells if cell.exercise]
        return tuple(dict.fromkeys(names))

    def folder(self, step: str, student: str) -> Path:
        """Return where a student's part lies: ``submitted``, ``autograded`` or ``feedback``."""
        directory = getattr(self._directory, f"{step}_directory")
        return Path(self._directory.format_path(directory, student, self.assignment))

    @contextmanager
    def gradebook(self) -> Iterator[Any]:
        """Open the gradebook."""
        with _quiet(), self._api.Gradebook(self.db_url, self._directory.course_id) as gradebook:
            yield gradebook

    def late_penalty(self, student: str, score: float, seconds: float) -> float | None:
        """Return what the course's own plugin for lateness takes off, if anything."""
        preprocessor = import_nbgrader("nbgrader.preprocessors").AssignLatePenalties(config=self.config)
        preprocessor.init_plugin()
        penalty = preprocessor.plugin_inst.late_submission_penalty(student, score, seconds)
        return None if penalty is None else min(max(float(penalty), 0.0), score)


def write_results(
    target: Target,
    results: Iterable[StudentResult],
    feedback: FeedbackLevel,
    read_notebook: Callable[[Path], Any],
    *,
    has_deadline: bool,
) -> Iterator[Written]:
    """
    Write each student who handed in something; who did not is only made known to the gradebook.

    Args:
        target: Where to.
        results: The class.
        feedback: How much of a report a student may see.
        read_notebook: Returns a notebook that was handed in, of format 4, or raises a `ValueError` with the reason.
        has_deadline: Whether lateness is this kit's affair; otherwise it is that of nbgrader's own plugin.
    """
    for result in results:
        student = result.student.platform_id or result.student.id  # what nbgrader calls them
        with target.gradebook() as gradebook:
            names = _names(result)
            gradebook.update_or_create_student(student, **names)
            if result.report is None or result.standing is Standing.NOT_SUBMITTED:
                yield Written(student, ("handed in nothing",))
                continue
            submission = gradebook.update_or_create_submission(target.assignment, student, **_when(result))
            report = redact_report(result.report, feedback)
            notes: list[str] = []
            for name, released in target.notebooks.items():
                path = target.folder("submitted", student) / f"{name}.ipynb"
                notebook, problem, found = _notebook_of(path, released, read_notebook)
                notes += found
                show_grades(notebook, report)
                _write_notebook(target.folder("autograded", student) / f"{name}.ipynb", notebook)
                submitted = gradebook.find_submission_notebook(name, target.assignment, student)
                notes += _save_grades(submitted, result)
                _save_comments(submitted, report, notebook, problem)
            gradebook.db.commit()
            _save_lateness(target, gradebook, student, submission, result, has_deadline=has_deadline)
            gradebook.db.commit()
            _copy_timestamp(target, student)
        yield Written(student, tuple(harmless_line(note) for note in notes))


def write_feedback(target: Target, students: Sequence[str]) -> list[str]:
    """Let nbgrader write the pages for students; return one line for each reason why it could not."""
    with _quiet():
        apps = import_nbgrader("nbgrader.apps")
        directory = import_nbgrader("nbgrader.coursedir").CourseDirectory(config=target.config)
        api = apps.NbGraderAPI(directory, config=target.config)
        api.log_level = "ERROR"
        problems: dict[str, list[str]] = {}
        for student in students:
            done = api.generate_feedback(target.assignment, student, force=True)
            if not done["success"]:
                log = str(done.get("error") or done.get("log") or "").splitlines()
                said = next((line for line in reversed(log) if "Error" in line), "it gives no reason")
                problems.setdefault(said.strip(), []).append(student)
    return [
        harmless_line(f"{_few(who)}: nbgrader could not write the feedback: {why}") for why, who in problems.items()
    ]


def _few(students: Sequence[str]) -> str:
    named = ", ".join(students[:_NAMED])
    return named if len(students) <= _NAMED else f"{named} and {len(students) - _NAMED} more"


def _notebook_of(
    path: Path, released: Sequence[Released], read_notebook: Callable[[Path], Any]
) -> tuple[Any, str, list[str]]:
    """
    Return the notebook to show, why it is not the student's, and what was found.

    Where the student's cannot be read, it is the one that was handed out.
    """
    v4: Any = importlib.import_module("nbformat.v4")
    try:
        notebook = read_notebook(path)
    except ValueError as error:
        cells = [v4.new_markdown_cell(f"**{path.name} cannot be shown**: {harmless_line(str(error))}")]
        blank = v4.new_notebook(cells=cells)
        blank.cells += [new_cell(cell) for cell in released]
        reason = harmless_line(f"{path.name}: {error}")
        return blank, reason, [reason]
    return notebook, "", mend(notebook, released)


def _save_grades(submitted: Any, result: StudentResult) -> list[str]:
    """Write the points of each criterion; what a person gave stays, and is marked if what it was based on changes."""
    assert result.report is not None
    criteria = criteria_of(result.report)
    by_hand = {Place(each.exercise, each.criterion): each.points for each in result.adjustments}
    notes = []
    for grade in submitted.grades:
        place = place_of(grade.name)
        criterion = criteria.get(place) if place else None
        before = grade.auto_score
        if criterion is None or place is None:
            continue  # a cell that a teacher added: it is for a person to grade
        if not is_decided(criterion) and place not in by_hand:
            grade.auto_score = None
            if grade.manual_score is None:
                grade.needs_manual_grade = True
                notes.append(f"{grade.name} needs a person: the checks did not decide it")
            continue
        score = max(criterion.score + by_hand.get(place, 0.0), 0.0)
        if criterion.bonus:  # its cell has no points of its own; nbgrader's word for a bonus is extra credit
            grade.auto_score, grade.extra_credit, grade.needs_manual_grade = 0.0, score, False
            continue
        grade.auto_score = min(score, float(grade.max_score))
        if grade.manual_score is None:
            grade.needs_manual_grade = False
        elif before is not None and abs(before - grade.auto_score) > 1e-9:
            notes.append(f"{grade.name} was graded by hand and now gets {grade.auto_score:g} by the checks; look again")
            grade.needs_manual_grade = True  # and stays so until somebody has looked, however often this runs
    return notes


def _save_comments(submitted: Any, report: ScoreReport, notebook: Any, problem: str) -> None:
    comments = {exercise.id: exercise_comment(report, exercise) for exercise in report.exercises}
    compute_checksum = import_nbgrader("nbgrader.utils").compute_checksum
    unchanged = {
        cell.metadata["nbgrader"]["grade_id"]
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
        and cell.metadata["nbgrader"].get("checksum") == compute_checksum(cell)
    }
    for comment in submitted.comments:
        if comment.name in unchanged:
            comment.auto_comment = problem or _NO_RESPONSE
        elif answered_in(comment.name) in comments:
            comment.auto_comment = comments[answered_in(comment.name)]


def _save_lateness(
    target: Target, gradebook: Any, student: str, submission: Any, result: StudentResult, *, has_deadline: bool
) -> None:
    """Take lateness off the points that the gradebook has by now: with what a person gave, without the bonus."""
    assert result.report is not None
    ours = [gradebook.find_submission_notebook(name, target.assignment, student) for name in target.notebooks]
    for submitted in ours:
        gradebook.db.refresh(submitted)
        submitted.late_submission_penalty = None
    if has_deadline:
        bonus = {place for place, criterion in criteria_of(result.report).items() if criterion.bonus}
        scores = [submitted.score - _extra_credit(submitted, bonus) for submitted in ours]
        penalty = result.lateness.deduction(sum(scores), sum(submitted.max_score for submitted in ours))
        for submitted, score in zip(ours, scores, strict=True) if penalty else ():
            submitted.late_submission_penalty = round(penalty * score / sum(scores), 2)
    elif submission.total_seconds_late > 0:
        for submitted in ours:
            seconds = submission.total_seconds_late
            submitted.late_submission_penalty = target.late_penalty(student, submitted.score, seconds)


def _extra_credit(submitted: Any, places: Collection[Place]) -> float:
    return sum(grade.extra_credit or 0.0 for grade in submitted.grades if place_of(grade.name) in places)


def _names(result: StudentResult) -> dict[str, str]:
    """Return what the roster says of a student, in nbgrader's terms; what is not known stays as it is there."""
    student = result.student
    last, comma, first = student.name.partition(", ")
    if not comma:
        first, _, last = student.name.rpartition(" ")
    given = {"first_name": first.strip(), "last_name": last.strip(), "email": student.email}
    return {key: value for key, value in given.items() if value}


def _when(result: StudentResult) -> dict[str, datetime]:
    """Return when it was handed in, as nbgrader keeps it: in UTC, without saying so."""
    return {"timestamp": result.submitted_at.astimezone(UTC).replace(tzinfo=None)} if result.submitted_at else {}


def _write_notebook(path: Path, notebook: Any) -> None:
    nbformat: Any = importlib.import_module("nbformat")
    path.parent.mkdir(parents=True, exist_ok=True)
    with _quiet():
        write_atomically(path, f"{nbformat.writes(notebook)}\n")


def _copy_timestamp(target: Target, student: str) -> None:
    stamp = target.folder("submitted", student) / _TIMESTAMP
    if stamp.is_file() and not stamp.is_symlink():
        shutil.copyfile(stamp, target.folder("autograded", student) / _TIMESTAMP)


def _load_config(course_dir: Path) -> Any:
    """Return the course's own configuration, as nbgrader would read it in that folder."""
    loader: Any = importlib.import_module("traitlets.config.loader")
    config = loader.Config()
    if (course_dir / "nbgrader_config.py").is_file():
        config = loader.PyFileConfigLoader("nbgrader_config.py", path=str(course_dir)).load_config()
    if "root" not in config.CourseDirectory:
        config.CourseDirectory.root = str(course_dir)
    return config


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep warnings of nbgrader's dependencies, which are about its own code, from the terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
