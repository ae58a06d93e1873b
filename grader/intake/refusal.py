"""Say why something handed in is not read."""

from grader.intake.limits import in_words


class Refused(Exception):  # noqa: N818 - an answer to the learner, not a fault
    """Something handed in that is not read; the text is the reason, one line without the path."""


def refuse_if_larger(size: int, limit: int, advice: str) -> None:
    """Raise ``Refused`` if a size in bytes is over the limit; ``advice`` says what the learner can do about it."""
    if size > limit:
        raise Refused(f"it holds more than the {in_words(limit)} that are read; {advice} and hand it in again")
