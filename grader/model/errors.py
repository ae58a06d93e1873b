"""Faults that are not a learner's: an author's, a teacher's, a machine's or our own."""

import difflib
from collections.abc import Iterable


class GraderError(Exception):
    """Something that stops grading; its text is one line for a person: where, expected, found, what next."""


class CourseError(GraderError):
    """A course contradicts itself: a rubric, suite, stub or solution needs mending by its author."""


class RequestError(GraderError):
    """What was asked for is not there or cannot be meant: wrong usage, which another command line mends."""


class SubmissionError(RequestError):
    """What was given as a submission is not there or cannot be one: wrong usage, not a low score."""


class IsolationError(GraderError):
    """This machine keeps learners' code apart less well than was demanded, so none of it was run."""


class RunnerError(GraderError):
    """The grading process itself failed: no learner is to blame and no grade was given."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question for what was probably meant, to be put behind a sentence; nothing if nothing is near."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
