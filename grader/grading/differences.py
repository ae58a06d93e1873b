"""Say for each student what changed from one run to another, and why."""

from collections.abc import Iterator

from grader.grading.store import Run, Status, Store, StoredResult
from grader.model.base import Model
from grader.model.classroom import Student
from grader.model.grade import Grade
from grader.model.outcome import CriterionPoints


class Difference(Model):
    """What changed for one student."""

    student: Student
    before: float | None = None
    """The grade; None if there was none."""
    after: float | None = None
    why: tuple[str, ...]
    """What changed, one line each: submission, verdicts, points of the rubric, adjustments, lateness."""

    @property
    def same_grade(self) -> bool:
        """Whether only the way to the grade is another."""
        return self.before == self.after


def compare_runs(store: Store, before: Run, after: Run) -> Iterator[Difference]:
    """Yield what changed, for students in the order of their ids; who is the same in both is left out."""
    for old, new in _pairs(store.results(before), store.results(after)):
        why = tuple(_reasons(old, new))
        if why:
            student = new.student if new else old.student if old else None
            assert student is not None
            yield Difference(student=student, before=_final(old), after=_final(new), why=why)


def _pairs(
    before: Iterator[StoredResult], after: Iterator[StoredResult]
) -> Iterator[tuple[StoredResult | None, StoredResult | None]]:
    """Pair results by student; both come in the order of ids, so that only two are held."""
    old, new = next(before, None), next(after, None)
    while old or new:
        if old and (new is None or old.student.id < new.student.id):
            yield old, None
            old = next(before, None)
        elif new and (old is None or new.student.id < old.student.id):
            yield None, new
            new = next(after, None)
        else:
            yield old, new
            old, new = next(before, None), next(after, None)


def _reasons(old: StoredResult | None, new: StoredResult | None) -> Iterator[str]:
    if old is None:
        yield "was not in the class before"
        return
    if new is None:
        yield "is no longer in the class"
        return
    if old.status is not new.status:
        yield f"was {old.status}, is {new.status}"
    if old.content and new.content and old.content != new.content:
        yield "handed in something else"
    if old.grade and new.grade and Status.ERRORED not in (old.status, new.status):
        yield from _criteria(old, new, old.grade, new.grade)
        if old.grade.late_points != new.grade.late_points:
            yield (
                f"lateness takes off {_number(new.grade.late_points)} instead of {_number(old.grade.late_points)} "
                f"points: {new.grade.late.note or 'it is not late'}"
            )


def _criteria(old: StoredResult, new: StoredResult, before: Grade, after: Grade) -> Iterator[str]:
    old_points = {(points.exercise, points.criterion): points for points in before.criteria}
    new_points = {(points.exercise, points.criterion): points for points in after.criteria}
    by_hand = {applied.adjustment.place: applied.adjustment for applied in after.adjustments}
    graded_before, graded_now = ({exercise for exercise, _ in points} for points in (old_points, new_points))
    for exercise in sorted(graded_before ^ graded_now):
        yield f"{exercise}: {'graded now, and not before' if exercise in graded_now else 'graded before, and not now'}"
    for place in dict.fromkeys([*old_points, *new_points]):
        if place[0] not in graded_before & graded_now:
            continue
        was, now = old_points.get(place), new_points.get(place)
        name = ".".join(place)
        if was is None or now is None:
            points = now or was
            assert points is not None
            yield f"{name}: {'new in' if now else 'gone from'} the rubric ({_of(points)})"
            continue
        facts = list(_verdict_changes(old, new, *place))
        if was.max_score != now.max_score:
            facts.append(f"worth {_number(now.max_score)} instead of {_number(was.max_score)}")
        if was.bonus != now.bonus:
            facts.append("a bonus now, in no total" if now.bonus else "no bonus any more: it is in the total")
        changed = was.score != now.score or was.max_score != now.max_score or was.bonus != now.bonus
        if changed and place in by_hand:
            decided = by_hand[place]
            facts.append(f"set by hand: {decided.why}{f' ({decided.author})' if decided.author else ''}")
        if changed and not facts:
            facts.append("other checks decide it")
        if changed:
            yield f"{name}: {_of(was)} → {_of(now)}: {'; '.join(facts)}"
        elif facts:
            yield f"{name}: {_of(now)} as before: {'; '.join(facts)}"


def _verdict_changes(old: StoredResult, new: StoredResult, exercise: str, criterion: str) -> Iterator[str]:
    assert old.outcome is not None
    assert new.outcome is not None
    checks = [
        check
        for run in (old.run, new.run)
        for each in run.course.exercises
        if each.id == exercise
        for other in each.rubric.criteria
        if other.id == criterion
        for check in other.checks
    ]
    for check in dict.fromkeys(checks):
        was = old.outcome.verdicts.get(exercise, {}).get(check)
        now = new.outcome.verdicts.get(exercise, {}).get(check)
        if was is not now:
            yield f"{check} {_word(was)} → {_word(now)}"


def _word(verdict: str | None) -> str:
    return verdict.replace("_", " ") if verdict else "not run"


def _of(points: CriterionPoints) -> str:
    return f"{_number(points.score)} of {_number(points.max_score)}"


def _number(points: float) -> str:
    return f"{round(points, 2):g}"


def _final(result: StoredResult | None) -> float | None:
    return result.grade.final if result and result.grade else None
