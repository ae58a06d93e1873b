"""Tell a student how the score of the checks became the grade."""

from grader.model.student_result import StudentResult
from grader.report.sentences import bare, bonus_of, end, number, points


def grade_sentences(result: StudentResult) -> tuple[str, ...]:
    """Return one sentence for the grade and one for each step to it; empty where the score is the grade."""
    if result.grade is None or not (result.late_points or result.late_why or result.adjustments):
        return ()
    sentences = [
        f"Your grade: {points(result.grade, result.max_score)}{bonus_of(result.bonus, result.max_bonus)}.",
        f"The checks gave {_points(result.raw or 0.0)}.",
    ]
    if result.late_points or result.late_why:
        why = f": {bare(result.late_why)}" if result.late_why else ""
        sentences.append(f"Handed in late, {_points(result.late_points)} off{why}.")
    for change in result.adjustments:
        where = (
            f" in {'.'.join(part for part in (change.exercise, change.criterion) if part)}" if change.exercise else ""
        )
        by = f" by {change.author}" if change.author else ""
        done = "added" if change.points >= 0 else "taken off"
        sentences.append(
            end(f"{_points(abs(change.points), bonus=change.bonus)} {done}{where}{by}: {bare(change.why)}")
        )
    return tuple(sentences)


def _points(value: float, *, bonus: bool = False) -> str:
    return f"{number(value)} {'bonus ' if bonus else ''}{'point' if value == 1 else 'points'}"
