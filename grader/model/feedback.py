"""How much of a report a learner may see."""

from enum import StrEnum


class FeedbackLevel(StrEnum):
    """Hidden and helpful are independent: below ``FULL`` no value of a hidden input is shown."""

    FULL = "full"
    """Everything: inputs, expected, got, messages and prints."""
    HINTS = "hints"
    """Which property broke, the diagnosis and the hint, without values."""
    VERDICTS = "verdicts"
    """Which checks passed."""
    SCORE = "score"
    """Points only."""
