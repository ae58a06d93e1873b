"""What an instructor wants to know of a whole class, added up one student at a time."""

import math
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from pydantic import Field

from grader.model.base import Model
from grader.model.student_line import CriterionLine, StudentLine
from grader.model.verdict import Verdict

BINS: Final = 20
"""Bars of the distribution of scores."""

FEW: Final = 10
"""With fewer students than this, how a criterion tells strong from weak is mostly chance."""


class StudentName(Model):
    """Who it is, as an instructor looks somebody up."""

    id: str
    name: str = ""


class LookGroup(Model):
    """Students whom a person should look at, for one reason."""

    reason: str
    """``errored``, ``waiting``, ``not_in_roster``, ``crashed``, ``timed_out``, ``blocked``, ``zero``,
    ``not_submitted``, or ``flag:`` with the flag's id."""
    students: tuple[StudentName, ...]


class CriterionStatistics(Model):
    """How a class did on one criterion."""

    exercise: str
    criterion: str
    students: int
    """Who handed something in and could be judged on it."""
    mean_share: float
    """Earned points over possible ones, 0 to 1: the difficulty index, high for an easy criterion."""
    discrimination: float | None
    """
    Corrected item-total correlation: Pearson's, of the criterion's points with the points of all other criteria.

    None where one of the two is the same for everybody. Source: Guilford (1953), "The correlation of an item with a
    composite of the remaining items in a test", Educational and Psychological Measurement 13, pages 87-93.
    """


class ExerciseStatistics(Model):
    """How a class did on one exercise."""

    exercise: str
    students: int
    mean_share: float


class HeldMisconception(Model):
    """A known mistake, with how many students make it."""

    exercise: str
    misconception: str
    students: int
    share: float
    """Of those who handed something in and were graded."""


class ScoreDistribution(Model):
    """Final scores of those who handed something in and have a grade."""

    students: int
    max_score: float
    mean: float
    deviation: float
    """Standard deviation, of the class itself and not of a population that it stands for."""
    lowest: float
    quartiles: tuple[float, float, float]
    highest: float
    full_marks: int
    mean_bonus: float = 0.0
    """Points earned on top, which are in no other number here, on average."""
    max_bonus: float = 0.0
    edges: tuple[float, ...]
    """Of the bars; each bar takes its lower edge, the last one both."""
    bars: tuple[int, ...]


class ClassSummary(Model):
    """A class at a glance."""

    schema_version: Literal[1] = 1
    counts: dict[str, int]
    """How many students have each status."""
    scores: ScoreDistribution | None
    """None while nobody has a grade."""
    exercises: tuple[ExerciseStatistics, ...]
    criteria: tuple[CriterionStatistics, ...]
    """In teaching order."""
    misconceptions: tuple[HeldMisconception, ...]
    """Held by most students first."""
    look: tuple[LookGroup, ...] = Field(default=())

    @property
    def students(self) -> int:
        """Everybody."""
        return sum(self.counts.values())


class _SameScore:
    """Those who have the same points for one criterion: how many, and what all their points come to."""

    __slots__ = ("count", "total", "total_squared")

    def __init__(self) -> None:
        self.count = 0
        self.total = self.total_squared = 0.0
        """Sums over the students, of all points less a constant, so that squares do not drown what differs."""


class ClassTally:
    """Adds students up. Of each student a number and, for some, the name is kept: memory stays small."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._finals = array("d")
        self._full_marks = 0
        self._max_score = 0.0
        self._bonus = self._max_bonus = 0.0
        self._by_score: dict[CriterionLine, _SameScore] = defaultdict(_SameScore)
        self._constant: float | None = None
        self._exercises: dict[str, list[float]] = defaultdict(lambda: [0, 0.0])
        self._judged = 0
        self._held: Counter[tuple[str, str]] = Counter()
        self._look: dict[str, list[StudentName]] = defaultdict(list)

    def add(self, line: StudentLine) -> frozenset[tuple[str, str]]:
        """Take up one student, and return those mistakes, with their exercise, that nobody before had."""
        self._counts[line.status] += 1
        for reason in reasons_to_look(line):
            self._look[reason].append(StudentName(id=line.student.id, name=line.student.name))
        self._max_score = max(self._max_score, line.max_score)
        if line.status not in ("graded", "incomplete"):
            return frozenset()
        self._judged += 1
        if line.final is not None:
            self._finals.append(line.final)
            self._bonus += line.bonus or 0.0
            self._max_bonus = max(self._max_bonus, line.max_bonus)
            self._full_marks += line.final >= line.max_score > 0
        self._add_points(line)
        new = line.misconceptions - self._held.keys()
        self._held.update(line.misconceptions)
        return new

    def _add_points(self, line: StudentLine) -> None:
        earned: dict[str, list[float]] = {}
        total = 0.0
        for exercise, _, score, max_score, bonus in line.criteria:
            if max_score > 0 and not bonus:
                both = earned.get(exercise)
                if both is None:
                    both = earned[exercise] = [0.0, 0.0]
                both[0] += score
                both[1] += max_score
                total += score
        for exercise, (score, max_score) in earned.items():
            shares = self._exercises[exercise]
            shares[0] += 1
            shares[1] += score / max_score
        if self._constant is None:
            self._constant = total
        total -= self._constant
        squared = total * total
        # A bonus is not in the total; as the rest is the total without the criterion, it is put in for its own sake.
        # A million times for a class of ten thousand: what can wait until the end, waits.
        for part in line.criteria:
            same = self._by_score[part]
            same.count += 1
            whole = total + part.score if part.bonus else total
            same.total += whole
            same.total_squared += whole * whole if part.bonus else squared

    def summary(self) -> ClassSummary:
        """Return what is known so far."""
        held = sorted(self._held.items(), key=lambda item: (-item[1], item[0]))
        return ClassSummary(
            counts=dict(self._counts),
            scores=self._distribution(),
            exercises=tuple(
                ExerciseStatistics(exercise=exercise, students=int(count), mean_share=shares / count)
                for exercise, (count, shares) in self._exercises.items()
            ),
            criteria=tuple(self._statistics()),
            misconceptions=tuple(
                HeldMisconception(exercise=exercise, misconception=name, students=count, share=count / self._judged)
                for (exercise, name), count in held
            ),
            look=tuple(
                LookGroup(reason=reason, students=tuple(self._look[reason]))
                for reason in sorted(self._look, key=_urgency)
            ),
        )

    def _statistics(self) -> Iterator[CriterionStatistics]:
        criteria: dict[tuple[str, str], list[tuple[float, _SameScore]]] = defaultdict(list)
        max_scores: dict[tuple[str, str], float] = {}
        for (exercise, criterion, score, max_score, _), same in self._by_score.items():
            if max_score > 0:
                criteria[exercise, criterion].append((score, same))
                max_scores[exercise, criterion] = max_score
        for (exercise, criterion), scores in criteria.items():
            students = sum(same.count for _, same in scores)
            mean = sum(score * same.count for score, same in scores) / students
            yield CriterionStatistics(
                exercise=exercise,
                criterion=criterion,
                students=students,
                mean_share=mean / max_scores[exercise, criterion],
                discrimination=_correlation(scores, students, mean),
            )

    def _distribution(self) -> ScoreDistribution | None:
        finals = sorted(self._finals)
        if not finals:
            return None
        mean = math.fsum(finals) / len(finals)
        highest = max(self._max_score, finals[-1])
        edges = [highest * place / BINS for place in range(BINS + 1)]
        bars = [0] * BINS
        for final in finals:
            # A score on an edge, such as 21 of 70, must not fall below it for a rounding.
            bars[min(max(bisect_right(edges, final + 1e-9) - 1, 0), BINS - 1)] += 1
        return ScoreDistribution(
            students=len(finals),
            max_score=self._max_score,
            mean=mean,
            deviation=math.sqrt(math.fsum((final - mean) ** 2 for final in finals) / len(finals)),
            lowest=finals[0],
            quartiles=(_quantile(finals, 0.25), _quantile(finals, 0.5), _quantile(finals, 0.75)),
            highest=finals[-1],
            full_marks=self._full_marks,
            mean_bonus=self._bonus / len(finals),
            max_bonus=self._max_bonus,
            edges=tuple(edges),
            bars=tuple(bars),
        )


def _correlation(scores: Sequence[tuple[float, _SameScore]], students: int, mean: float) -> float | None:
    """Return Pearson's correlation of a criterion's points, of this mean, with all other points of the same person."""
    rest = sum(same.total - score * same.count for score, same in scores) / students
    spread = sum((score - mean) ** 2 * same.count for score, same in scores)
    spread_rest = (
        sum(same.total_squared - 2 * score * same.total + score**2 * same.count for score, same in scores)
        - students * rest**2
    )
    # Points are far apart compared with what rounding leaves of a spread that should be zero.
    if min(spread, spread_rest) <= 1e-9 * students:
        return None
    together = sum((score - mean) * (same.total - score * same.count) for score, same in scores)
    return max(-1.0, min(1.0, together / math.sqrt(spread * spread_rest)))


def reasons_to_look(line: StudentLine) -> list[str]:
    """Return why a person should look at a student; empty for most."""
    reasons = [line.status] if line.status in ("errored", "waiting", "not_submitted") else []
    if not line.in_roster:
        reasons.append("not_in_roster")
    worrying = (Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.BLOCKED)
    reasons += [verdict.value for verdict in worrying if verdict in line.verdicts]
    if line.status == "graded" and line.raw == 0 and line.max_score > 0:
        reasons.append("zero")
    return reasons + [f"flag:{flag}" for flag in line.flags]


_ORDER: Final = ("errored", "waiting", "not_in_roster", "flag:", "crashed", "blocked", "timed_out", "zero")


def _urgency(reason: str) -> tuple[int, str]:
    kind = "flag:" if reason.startswith("flag:") else reason
    return (_ORDER.index(kind) if kind in _ORDER else len(_ORDER), reason)


def _quantile(ordered: list[float], share: float) -> float:
    """Return a quantile by linear interpolation between the two nearest scores."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
