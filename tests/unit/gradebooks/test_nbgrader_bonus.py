"""Points go into nbgrader's gradebook, whose rows are only looked at here."""

from types import SimpleNamespace

from grader.gradebooks.nbgrader import _save_grades
from grader.model.student_result import PointsChange
from grader.notebook.released import criterion_cell
from tests.unit.report import classes, samples


def cell(criterion, max_score):
    """nbgrader's row for a criterion, as autograde finds it."""
    return SimpleNamespace(
        name=criterion_cell("heads", criterion),
        max_score=max_score,
        auto_score=None,
        manual_score=None,
        extra_credit=None,
        needs_manual_grade=True,
    )


def test_a_bonus_becomes_extra_credit():
    """Its cell has no points of its own; nbgrader adds the extra credit to the score. By hand, it may be less."""
    bonus = samples.make_criterion("extra", (samples.make_check("extra"),)).model_copy(update={"bonus": True})
    right = samples.make_criterion("counts", (samples.make_check("counts"),))
    exercise = samples.make_exercise("heads", (right, bonus), score=2.0, max_score=2.0, bonus=2.0, max_bonus=2.0)
    report = samples.make_report((exercise,), bonus=2.0, max_bonus=2.0)
    half = PointsChange(exercise="heads", criterion="extra", points=-1.5, why="Half of it.", bonus=True)

    for adjustments, expected in (((), 2.0), ((half,), 0.5)):
        counts, extra = cell("counts", 2.0), cell("extra", 0.0)
        result = classes.graded(classes.make_student(1), report, adjustments=adjustments)

        notes = _save_grades(SimpleNamespace(grades=[counts, extra]), result)

        assert [] == notes
        assert (2.0, None, False) == (counts.auto_score, counts.extra_credit, counts.needs_manual_grade)
        assert (0.0, expected, False) == (extra.auto_score, extra.extra_credit, extra.needs_manual_grade)
