"""Let `nbgrader autograde`, and formgrader's button, grade with this kit, in preprocessors of nbgrader."""

from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import Execute, NbGraderPreprocessor
from traitlets import Unicode

from grader.model.errors import SubmissionError
from grader.model.report import ScoreReport
from grader.model.submission import Submission
from grader.notebook.grading import grade_notebook, warm_grader
from grader.notebook.mend import Released, is_ours, mend, released_cells
from grader.notebook.released import Place, answered_in
from grader.notebook.show_grades import criteria_of, is_decided, show_grades
from grader.notebook.shown import exercise_comment

_KEY = "attention_dojo"


class MendCells(NbGraderPreprocessor):  # type: ignore[misc]
    """Before anything else: cells that are there twice, gone, or changed where they are locked."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Mend a notebook of this kit; others stay as they are."""
        about = resources["nbgrader"]
        released = _released(about)
        if is_ours(released):
            for note in mend(nb, released):
                self.log.warning("%s: %s", about["student"], note)
        return nb, resources


class GradeWithKit(Execute):  # type: ignore[misc]
    """Instead of a kernel: grade what was handed in and write points where nbgrader reads them."""

    course = Unicode("", help="The folder of a course; the built-in one if empty.").tag(config=True)
    require_isolation = Unicode("strong", help="Run no code with less: strong, basic or process.").tag(config=True)

    def preprocess(self, nb: Any, resources: Any = None, km: Any = None) -> tuple[Any, Any]:
        """Grade a notebook of this kit; any other is run in a kernel, as nbgrader does."""
        about = resources["nbgrader"]
        released = _released(about)
        if not is_ours(released):
            ran: tuple[Any, Any] = super().preprocess(nb, resources, km)
            return ran
        grader = warm_grader(self.course, self.require_isolation)
        exercises = tuple(name for name in grader.promises if any(cell.exercise == name for cell in released))
        report = grade_notebook(self._read(about), exercises, self.course, self.require_isolation)
        show_grades(nb, report)
        resources[_KEY] = report
        return nb, resources

    def _read(self, about: Any) -> Submission:
        """Return what was handed in, as `grade check` reads it: whatever else lies beside the notebook counts too."""
        directory = CourseDirectory(config=self.config)
        folder = Path(directory.format_path(directory.submitted_directory, about["student"], about["assignment"]))
        grader = warm_grader(self.course, self.require_isolation)
        try:
            return grader.read([folder])
        except SubmissionError as error:
            return Submission(id=about["student"], notes=(str(error),))


class SaveComments(NbGraderPreprocessor):  # type: ignore[misc]
    """After nbgrader has saved points: comments, and what only a person can decide."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Save them."""
        report: ScoreReport | None = resources.get(_KEY)
        if report is None:
            return nb, resources
        about = resources["nbgrader"]
        comments = {exercise.id: exercise_comment(report, exercise) for exercise in report.exercises}
        undecided = {place for place, criterion in criteria_of(report).items() if not is_decided(criterion)}
        with Gradebook(about["db_url"]) as gradebook:
            notebook = gradebook.find_submission_notebook(about["notebook"], about["assignment"], about["student"])
            for comment in notebook.comments:
                if comment.auto_comment is None and answered_in(comment.name) in comments:
                    comment.auto_comment = comments[answered_in(comment.name)]
            for grade in notebook.grades:
                exercise, _, criterion = grade.name.partition("-")
                if Place(exercise, criterion) in undecided:
                    grade.auto_score = None
                    grade.needs_manual_grade = True
            gradebook.db.commit()
        return nb, resources


def _released(about: Any) -> tuple[Released, ...]:
    with Gradebook(about["db_url"]) as gradebook:
        return released_cells(gradebook.find_notebook(about["notebook"], about["assignment"]))
