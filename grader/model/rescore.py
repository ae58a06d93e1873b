"""Score a report anew by another rubric, without running anything."""

from collections.abc import Iterator, Sequence

from grader.model.course import Course, Exercise
from grader.model.report import CheckResult, CourseStamp, ExerciseReport, ScoreReport
from grader.model.scoring import score_exercise, total_of_criteria, total_of_exercises
from grader.model.verdict import Verdict


def rescore_report(report: ScoreReport, course: Course) -> ScoreReport:
    """
    Return the report with its verdicts scored by another course's rubrics.

    Exercises and checks that the course no longer has are left out; `find_unscorable` says whether it asks for more
    than the report holds.
    """
    stored = {exercise.id: exercise for exercise in report.exercises}
    exercises = tuple(
        _rescore_exercise(stored[exercise.id], exercise) for exercise in course.exercises if exercise.id in stored
    )
    return report.model_copy(
        update={
            "course": CourseStamp(id=course.settings.id, title=course.settings.title, digest=course.digest),
            **total_of_exercises(exercises)._asdict(),
            "complete": not any(check.verdict is Verdict.ERRORED for each in exercises for check in each.checks),
            "exercises": exercises,
        }
    )


def find_unscorable(graded: Course, exercises: Sequence[str], course: Course) -> Iterator[str]:
    """
    Yield a line for each thing of a course's rubrics that a run's verdicts cannot answer.

    Args:
        graded: The course that the verdicts were found with.
        exercises: The exercises that were graded.
        course: The course to score by.
    """
    # Where only a part was graded on purpose, the rest is not asked for either.
    before = {exercise.id: exercise for exercise in graded.exercises if exercise.id in exercises}
    for exercise in course.exercises:
        if exercise.id not in before:
            if set(exercises) >= set(graded.settings.exercises):
                yield f"the exercise {exercise.id!r} was not graded"
            continue
        for criterion in exercise.rubric.criteria:
            for check in criterion.checks:
                if check not in before[exercise.id].rubric.checks:
                    yield f"rubrics/{exercise.id}.yaml: criterion {criterion.id!r} names {check!r}, which was not run"


def _rescore_exercise(report: ExerciseReport, exercise: Exercise) -> ExerciseReport:
    hints = {check: criterion.hint for criterion in exercise.rubric.criteria for check in criterion.checks}
    results = {check.id: _with_hint(check, hints) for check in report.checks}
    criteria = score_exercise(exercise, results)
    return report.model_copy(
        update={
            "title": exercise.rubric.title,
            **total_of_criteria(criteria)._asdict(),
            "criteria": criteria,
        }
    )


def _with_hint(check: CheckResult, hints: dict[str, str]) -> CheckResult:
    return check.model_copy(update={"hint": hints[check.id]}) if check.hint and check.id in hints else check
