"""Reports, hand-ins and runs that nothing was run for."""

from datetime import UTC, datetime

from grader.course.load import digest_verdicts, load_course
from grader.course.trees import CourseTrees
from grader.grading.store import Run, Store
from grader.model.classroom import Attempt, HandIn, Student
from grader.model.course import Course
from grader.model.report import (
    CheckResult,
    CourseStamp,
    Diagnosis,
    Environment,
    ExerciseReport,
    Isolation,
    ScoreReport,
    SubmissionStamp,
)
from grader.model.scoring import score_exercise
from grader.model.submission import Cell, SourceFile, Submission
from grader.model.verdict import Verdict
from tests.conftest import MINI_COURSE

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
COURSE = load_course(CourseTrees(MINI_COURSE))


def submission_of(text: str, student: str = "somebody") -> Submission:
    """One file."""
    return Submission(id=student, files=(SourceFile(path="double.py", cells=(Cell(text=text),)),))


def report_of(submission: Submission, course: Course = COURSE, seed: int = 1, **verdicts: Verdict) -> ScoreReport:
    """A report in which every check passed but those that are named."""
    exercises = []
    for exercise in course.exercises:
        results = {}
        for check, claim in exercise.claims.items():
            verdict = verdicts.get(check, Verdict.PASSED)
            failed = verdict is Verdict.FAILED
            results[check] = CheckResult(
                id=check,
                title=claim.title,
                why=claim.why,
                verdict=verdict,
                hint="An old hint." if failed else "",
                diagnosis=Diagnosis(misconception="triples", explanation="x", look_at="y", fact="z")
                if failed
                else None,
            )
        criteria = score_exercise(exercise, results)
        exercises.append(
            ExerciseReport(
                id=exercise.id,
                title=exercise.rubric.title,
                score=sum(criterion.score for criterion in criteria),
                max_score=sum(criterion.max_score for criterion in criteria),
                criteria=criteria,
            )
        )
    return ScoreReport(
        course=CourseStamp(id=course.settings.id, title=course.settings.title, digest=course.digest),
        submission=SubmissionStamp(id=submission.id, sha256=submission.sha256, files=("double.py",)),
        environment=Environment(
            kit="0",
            python="3",
            torch="2",
            platform="here",
            device="cpu",
            isolation=Isolation(level="strong", start_method="fork"),
        ),
        seed=seed,
        score=sum(exercise.score for exercise in exercises),
        max_score=sum(exercise.max_score for exercise in exercises),
        complete=Verdict.ERRORED not in verdicts.values(),
        exercises=tuple(exercises),
    )


def hand_in_of(student: str, **attempt: object) -> HandIn:
    """One attempt."""
    made = Attempt.model_validate({"sources": (f"{student}/double.py",), **attempt})
    return HandIn(student=Student(id=student), attempts=(made,), chosen=0)


def run_of(course: Course = COURSE, **changes: object) -> Run:
    """A run of the miniature course."""
    return Run(
        kind="batch",
        started_at=NOON,
        kit="0",
        seed=7,
        exercises=course.settings.exercises,
        course=course,
        verdicts_digest=digest_verdicts(CourseTrees(MINI_COURSE), course),
    ).model_copy(update=changes)


def keep_all(store: Store, run: Run, texts: dict[str, str], *hand_ins: HandIn, **verdicts: Verdict) -> Run:
    """Store a report for each student, all with the same verdicts."""
    run = store.begin_run(run, hand_ins or [hand_in_of(student) for student in texts])
    for student, text in texts.items():
        submission = submission_of(text, student)
        report = report_of(submission, run.course, **verdicts)
        store.keep(run, [student], submission, f"content of {text}", f"key of {text}", report)
    return run
