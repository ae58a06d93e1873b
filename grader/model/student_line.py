"""One line about a student: what tables and statistics of a class need, without a report's texts."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from grader.model.classroom import Student
from grader.model.student_result import Standing, StudentResult
from grader.model.verdict import Verdict


class CriterionLine(NamedTuple):
    """Points for one criterion, as the checks decided."""

    exercise: str
    criterion: str
    score: float
    max_score: float
    """Zero when nothing of it could be judged."""
    bonus: bool = False
    """Whether these points are in no total, but come on top."""


class StudentLine(NamedTuple):
    """What became of one student, small enough to stream by the ten thousand."""

    student: Student
    status: str
    """``graded``, ``not_submitted``, ``errored``, ``incomplete`` (a report that is no grade yet) or ``waiting``."""
    criteria: tuple[CriterionLine, ...]
    raw: float | None
    """By the checks alone; None without a grade, and so are the next three."""
    adjustments: float | None
    late: float | None
    """Zero or less."""
    final: float | None
    max_score: float
    bonus: float | None = None
    """Points earned on top, in no other number here; None without a grade."""
    max_bonus: float = 0.0
    flags: tuple[str, ...] = ()
    verdicts: frozenset[Verdict] = frozenset()
    """Every verdict that some check got."""
    misconceptions: frozenset[tuple[str, str]] = frozenset()
    """Exercise and known mistake."""
    in_roster: bool = True
    problem: str = ""


def status_of(result: StudentResult) -> str:
    """Return ``graded``, ``not_submitted``, ``errored``, or ``incomplete`` for a report that is no grade yet."""
    if result.standing is Standing.GRADED and result.report is not None and not result.report.complete:
        return "incomplete"
    return result.standing.value


def line_of(result: StudentResult) -> StudentLine:
    """Return the line that a result comes down to."""
    report = result.report
    checks = [(exercise.id, check) for exercise in report.exercises for check in exercise.checks] if report else []
    graded = result.grade is not None
    return StudentLine(
        student=result.student,
        status=status_of(result),
        criteria=tuple(
            CriterionLine(exercise.id, criterion.id, criterion.score, criterion.max_score, criterion.bonus)
            for exercise in (report.exercises if report else ())
            for criterion in exercise.criteria
        ),
        raw=result.raw if graded else None,
        adjustments=result.adjusted if graded else None,
        late=-result.late_points if graded else None,
        final=result.grade,
        max_score=result.max_score,
        bonus=result.bonus if graded else None,
        max_bonus=result.max_bonus,
        flags=distinct(flag.id for flag in report.flags) if report else (),
        verdicts=frozenset(check.verdict for _, check in checks),
        misconceptions=frozenset((ex, check.diagnosis.misconception) for ex, check in checks if check.diagnosis),
        in_roster=result.in_roster,
        problem=result.problem,
    )


def distinct(flags: Iterable[str]) -> tuple[str, ...]:
    """Return each flag once, in a fixed order."""
    return tuple(sorted(set(flags)))


def found_misconceptions(by_exercise: Mapping[str, Mapping[str, str]]) -> frozenset[tuple[str, str]]:
    """Return exercise and mistake, each once, from the mistakes by exercise and check."""
    return frozenset((exercise, found) for exercise, checks in by_exercise.items() for found in checks.values())
