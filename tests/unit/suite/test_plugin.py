"""What the hidden suites' fixtures record."""

import torch

from grader.model.report import Measurement
from grader.sandbox.remote import Conversation
from grader.suite.draw import Draw
from grader.suite.plugin import CheckRun


def test_a_number_that_is_not_finite_is_not_recorded() -> None:
    """A learner's NaN would make a report that cannot be read back."""
    run = CheckRun(Conversation(lambda *_: {}, 1), Draw(1))

    run.observe("One stays.", one=torch.tensor(1.0), nan=float("nan"), infinite=torch.tensor(float("inf")))

    assert run.observation is not None
    assert (Measurement(label="one", value=1.0),) == run.observation.numbers
