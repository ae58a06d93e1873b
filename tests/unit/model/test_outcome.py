"""What each criterion gives follows from the verdicts, however often they were met before."""

from hypothesis import given
from hypothesis import strategies as st

from grader.course.load import load_course
from grader.course.trees import CourseTrees
from grader.model.outcome import CriterionPoints, Outcome, Scoring
from grader.model.scoring import score_verdicts
from grader.model.verdict import Verdict
from tests.conftest import MINI_COURSE

COURSE = load_course(CourseTrees(MINI_COURSE))
CHECKS = [check for exercise in COURSE.exercises for check in exercise.rubric.checks]


@given(st.lists(st.lists(st.sampled_from([None, *Verdict]), min_size=len(CHECKS), max_size=len(CHECKS)), min_size=1))
def test_points_are_those_of_the_rubric_each_time(students):
    """Scored one after another with one scoring; None stands for a check that was not run, which is errored."""
    scoring = Scoring(COURSE.exercises)

    for verdicts in students:
        found = dict(zip(CHECKS, verdicts, strict=True))
        outcome = Outcome(
            verdicts={
                exercise.id: {check: found[check] for check in exercise.rubric.checks if found[check]}
                for exercise in COURSE.exercises
            }
        )
        expected = []
        for exercise in COURSE.exercises:
            for criterion in exercise.rubric.criteria:
                came_out = [found[check] or Verdict.ERRORED for check in criterion.checks]
                points = score_verdicts(criterion, came_out)
                expected.append(CriterionPoints(exercise.id, criterion.id, *points, Verdict.ERRORED in came_out))

        assert expected == scoring.points_of(outcome)


def test_an_exercise_that_was_not_graded_has_no_points():
    """It is left out, which is not the same as nothing earned."""
    assert [] == Scoring(COURSE.exercises).points_of(Outcome(verdicts={}))
