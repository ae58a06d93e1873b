"""Say the facts of a class in words; the page and the terminal take their sentences from here."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from grader.model.class_summary import FEW, ClassSummary, CriterionStatistics
from grader.model.report import ScoreReport
from grader.report.sentences import count, number

LOW_DISCRIMINATION: Final = 0.2
"""A rule of thumb of classical test theory: below it, a question hardly tells strong from weak students."""


class Explained(NamedTuple):
    """What a known mistake is, in the words of a report that found it."""

    explanation: str
    look_at: str


class ClassTitles(NamedTuple):
    """What the parts of a summary are called."""

    course: str
    exercises: Mapping[str, str]
    criteria: Mapping[tuple[str, str], str]
    misconceptions: Mapping[tuple[str, str], Explained]


REASONS: Mapping[str, str] = {
    "errored": "The grader failed: no grade yet",
    "waiting": "Not graded yet",
    "not_in_roster": "Handed something in, but not on the roster",
    "crashed": "The process of their code died",
    "blocked": "Uses what the exercise asks to write by hand",
    "timed_out": "Took longer than allowed",
    "zero": "Handed something in and earned nothing",
    "not_submitted": "Handed in nothing",
}

_STATUSES: Mapping[str, str] = {
    "graded": "graded",
    "not_submitted": "handed in nothing",
    "errored": "without a grade, because the grader failed",
    "incomplete": "graded in part",
    "waiting": "not graded yet",
}


def reason_words(reason: str) -> str:
    """Return why to look at somebody."""
    if reason.startswith("flag:"):
        return f"Flagged: {reason.removeprefix('flag:').replace('_', ' ')}"
    return REASONS[reason]


def counts_sentence(summary: ClassSummary) -> str:
    """Return ``40 students: 36 graded, 3 handed in nothing, 1 not graded yet.``"""
    parts = [f"{summary.counts[status]:,} {word}" for status, word in _STATUSES.items() if summary.counts.get(status)]
    return f"{count(summary.students, 'student')}: {', '.join(parts)}." if parts else "No students."


def scores_sentence(summary: ClassSummary) -> str:
    """Return mean, median and spread of the scores of those who handed something in."""
    scores = summary.scores
    if scores is None:
        return "Nobody who handed something in has a grade yet."
    low, median, high = scores.quartiles
    bonus = f" Bonus, not counted here: {number(scores.mean_bonus)} of {number(scores.max_bonus)} on average."
    bonus = bonus if scores.max_bonus else ""
    return (
        f"Of {number(scores.max_score)} points, the {count(scores.students, 'student')} who handed something in and "
        f"have a grade reached {number(scores.mean)} on average (standard deviation {number(scores.deviation)}); half "
        f"of them {number(median)} or more, the middle half {number(low)} to {number(high)}. "
        f"Full marks: {scores.full_marks:,}.{bonus}"
    )


def needs_review(statistics: CriterionStatistics) -> bool:
    """Whether a criterion hardly tells strong from weak students, in a class large enough to say so."""
    return (
        statistics.students >= FEW
        and statistics.discrimination is not None
        and statistics.discrimination < LOW_DISCRIMINATION
        # Where nearly all pass or nearly all fail there is little to tell apart, whatever the criterion.
        and 0.05 < statistics.mean_share < 0.95
    )


def holders(students: int, share: float) -> str:
    """Return ``12 students, 30 %``."""
    return f"{count(students, 'student')}, {percent(share)}"


def percent(share: float) -> str:
    """Return a share as a whole percentage; the first and the last per cent are told from none and all."""
    if 0 < share < 0.005:
        return "under 1 %"
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{100 * share:.0f} %"


def explain_from(report: ScoreReport, wanted: frozenset[tuple[str, str]]) -> dict[tuple[str, str], Explained]:
    """Return what a report says about those of these mistakes that it found."""
    found: dict[tuple[str, str], Explained] = {}
    for exercise in report.exercises:
        for check in exercise.checks:
            place = (exercise.id, check.diagnosis.misconception) if check.diagnosis else None
            if check.diagnosis and place in wanted and place not in found:
                found[place] = Explained(check.diagnosis.explanation, check.diagnosis.look_at)
    return found
