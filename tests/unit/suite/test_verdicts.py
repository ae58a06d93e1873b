"""A criterion's hint is given to whom it can help."""

import pytest

from grader.model.course import CheckClaim
from grader.model.report import Mismatch
from grader.model.verdict import Verdict
from grader.sandbox.problems import LearnerProblem
from grader.suite.expect import CheckFailed
from grader.suite.verdicts import result_of

CLAIM = CheckClaim(id="scores", title="Scores are dot products.")
HINT = "Multiply query by key."


def mismatch(kind: str) -> Mismatch:
    """A difference of this kind."""
    return Mismatch.model_validate({"kind": kind, "what": "weights", "expected": "1", "got": "2"})


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (CheckFailed("weights has wrong values.", mismatch("value")), HINT),
        (CheckFailed("weights should be a tensor, but is None.", mismatch("type")), ""),
        (LearnerProblem(Verdict.MISSING, "`attend` is not there."), ""),
        (LearnerProblem(Verdict.TIMED_OUT, "Your code did not finish."), ""),
        (LearnerProblem(Verdict.SKIPPED, "Not run to the end: the time is used up."), ""),
        (LearnerProblem(Verdict.RAISED, "", type_name="SomethingError", message="of no known cause"), HINT),
        (LearnerProblem(Verdict.RAISED, "", type_name="NameError", message="name 'tensor' is not defined"), ""),
    ],
)
def test_a_hint_is_for_who_came_as_far_as_the_idea(error: BaseException, hint: str) -> None:
    """Somebody who forgot `return` is not to turn the scale upside down."""
    assert hint == result_of(CLAIM, error, None, HINT).hint
