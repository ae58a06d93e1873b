"""The report of a submission that the grader could not grade."""

import platform
from collections.abc import Sequence

from grader import __version__
from grader.grading.keys import torch_version
from grader.model.course import Course
from grader.model.report import CourseStamp, Environment, ExerciseReport, ScoreReport, SubmissionStamp
from grader.model.scoring import score_exercise, total_of_criteria, total_of_exercises
from grader.model.submission import Submission


def errored_report(
    course: Course, exercises: Sequence[str], submission: Submission, seed: int, problem: str
) -> ScoreReport:
    """Return a report in which every check is ``errored``: visible, and never a grade."""
    graded = []
    for exercise in course.exercises:
        if exercise.id in exercises:
            criteria = score_exercise(exercise, {})
            points = total_of_criteria(criteria)
            report = ExerciseReport(
                id=exercise.id,
                title=exercise.rubric.title,
                score=0.0,
                max_score=points.max_score,
                max_bonus=points.max_bonus,
                criteria=criteria,
            )
            graded.append(report)
    total = total_of_exercises(graded)
    return ScoreReport(
        course=CourseStamp(id=course.settings.id, title=course.settings.title, digest=course.digest),
        submission=SubmissionStamp(
            id=submission.id, sha256=submission.sha256, files=tuple(file.path for file in submission.files)
        ),
        environment=Environment(
            kit=__version__,
            python=platform.python_version(),
            torch=torch_version(),
            platform=f"{platform.system()} {platform.machine()}",
            device="cpu",
        ),
        seed=seed,
        score=0.0,
        max_score=total.max_score,
        max_bonus=total.max_bonus,
        complete=False,
        exercises=tuple(graded),
        notes=(f"The grader failed: {problem}",),
    )
