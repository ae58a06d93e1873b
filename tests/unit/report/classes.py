"""Generated classes: students with every standing, and names that break careless tables."""

import random
from collections.abc import Iterator

from grader.model.classroom import Student
from grader.model.report import Diagnosis, ScoreReport, SubmissionStamp
from grader.model.student_result import PointsChange, Standing, StudentResult
from grader.model.submission import Flag
from grader.model.verdict import Verdict
from tests.unit.report import samples

AWKWARD_NAMES = (
    'García, "Pepe"',
    "=HYPERLINK(A1)",
    "+49 30 1234",
    "-1",
    "@SUM(A1:A9)",
    "\t=1+1",
    " =1+1",
    "＝1+1",
    "Nguyễn Thị Ánh",
    "O'Brien; DROP TABLE",
    "two\nlines",
    "佐藤 愛子",
    "محمد",
    "",
)

MISTAKES = {
    "scale_by_d_model": "You divided by the square root of d_model.",
    "softmax_over_queries": "Your softmax runs over the queries.",
    "heads_by_view": "You joined the heads by a view, without exchanging the axes first.",
}


def make_student(place: int, **fields: object) -> Student:
    """A student whose id begins with zeros."""
    return Student.model_validate({"id": f"{place:05d}", "name": f"Student {place}", **fields})


def graded(student: Student, report: ScoreReport, **fields: object) -> StudentResult:
    """A result in which the score is the grade, unless said otherwise."""
    stamped = report.model_copy(update={"submission": SubmissionStamp(id=student.id, sha256="ab" * 32, files=())})
    given = {"standing": Standing.GRADED, "final": report.score, "max_score": report.max_score, **fields}
    return StudentResult(student=student, report=stamped, **given)


def not_submitted(student: Student, max_score: float = 20.0) -> StudentResult:
    """Somebody who handed in nothing."""
    report = samples.make_report((), max_score=max_score, notes=("Nothing was handed in.",))
    return graded(student, report, standing=Standing.NOT_SUBMITTED, final=0.0, max_score=max_score)


def errored(student: Student, report: ScoreReport | None = None) -> StudentResult:
    """Somebody on whom the grader failed."""
    return StudentResult(
        student=student, standing=Standing.ERRORED, report=report, max_score=20.0, problem="The runner died twice."
    )


def make_report(chance: random.Random, ability: float) -> ScoreReport:
    """A report on two exercises of three criteria each, the better the more ability; lost checks hold mistakes."""
    exercises = []
    for exercise in ("masking", "scaling"):
        criteria = []
        for criterion, difficulty in (("easy", 0.1), ("middle", 0.5), ("hard", 0.9)):
            passed = ability + chance.gauss(0, 0.15) > difficulty
            mistake = chance.choice(sorted(MISTAKES))
            diagnosis = Diagnosis(misconception=mistake, explanation=MISTAKES[mistake], look_at="The line.", fact="")
            check = samples.make_check(
                f"{criterion}_holds",
                Verdict.PASSED if passed else chance.choice([Verdict.FAILED, Verdict.RAISED, Verdict.TODO]),
            )
            if check.verdict is Verdict.FAILED:
                check = check.model_copy(update={"diagnosis": diagnosis})
            criteria.append(samples.make_criterion(criterion, (check,), 2.0))
        exercises.append(samples.make_exercise(exercise, tuple(criteria)))
    flags = (Flag(id="shadows_module", message="torch.py"),) if chance.random() < 0.05 else ()
    return samples.make_report(tuple(exercises), flags=flags)


def make_class(students: int, seed: int = 0) -> Iterator[StudentResult]:
    """Results of all standings, one after another."""
    chance = random.Random(seed)
    for place in range(students):
        kind = chance.random()
        student = make_student(place, section="AB"[place % 2])
        if kind < 0.05:
            yield not_submitted(student, 12.0)
        elif kind < 0.07:
            yield errored(student)
        else:
            report = make_report(chance, chance.random())
            late = 1.0 if kind < 0.2 else 0.0
            changes = (PointsChange(exercise="masking", points=0.5, why="Misread", author="Ada"),) if kind > 0.9 else ()
            final = max(0.0, report.score - late + sum(change.points for change in changes))
            why = "1 day at 1 point a day" if late else ""
            yield graded(student, report, final=final, late_points=late, late_why=why, adjustments=changes)
