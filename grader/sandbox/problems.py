"""What can go wrong in a learner's code, as exceptions that carry the verdict."""

from dataclasses import dataclass

from grader.model.submission import LearnerFrame
from grader.model.verdict import Verdict


@dataclass
class LearnerProblem(Exception):  # noqa: N818 - it is a learner's, not an error of ours
    """
    A call that gave no value. The suite lets it pass through, and it becomes the check's verdict.

    Args:
        verdict: What the check gets.
        rationale: What happened, without the exception's own text, which may carry hidden inputs.
        type_name: The exception's type, if one was raised.
        message: The exception's own text.
        frames: The learner's own frames, outermost first.
        perhaps_killed: Whether the process ended in a way in which somebody else may have ended it.
    """

    verdict: Verdict
    rationale: str
    type_name: str = ""
    message: str = ""
    frames: tuple[LearnerFrame, ...] = ()
    perhaps_killed: bool = False

    def __str__(self) -> str:
        return self.rationale


class NotAssessedError(Exception):
    """This machine cannot judge a check; its text says why. Raised before the learner's code is asked."""


class CannotJudgeError(Exception):
    """A device check met something that the pretend device cannot judge: the learner's code is not wrong."""
