"""Students with and without a grade."""

from grader.model.classroom import Student
from grader.model.student_line import CriterionLine, StudentLine


def make_line(student, final, *, status="graded", max_score=10.0, late=0.0, adjustments=0.0, **fields):
    """One student's line; ``fields`` are the student's own."""
    raw = None if final is None else final - late - adjustments
    return StudentLine(
        student=Student(id=student, **fields),
        status=status,
        criteria=() if final is None else (CriterionLine("heads", "split", raw, max_score),),
        raw=raw,
        adjustments=None if final is None else adjustments,
        late=None if final is None else late,
        final=final,
        max_score=max_score,
    )
