"""The closed list of what can become of a check."""

from enum import StrEnum


class Verdict(StrEnum):
    """What became of one check. Only ``PASSED`` earns points."""

    PASSED = "passed"
    """The claim holds."""
    FAILED = "failed"
    """The learner's code gave a wrong answer."""
    TODO = "todo"
    """The stub's own ``NotImplementedError``: not begun, which is no mistake."""
    MISSING = "missing"
    """The promised name is not there."""
    RAISED = "raised"
    """The learner's code raised an exception."""
    TIMED_OUT = "timed_out"
    """The learner's code took longer than the rubric allows."""
    CRASHED = "crashed"
    """The learner's process died: signal, memory, exit."""
    BLOCKED = "blocked"
    """The learner's code does what the rubric forbids."""
    SKIPPED = "skipped"
    """A check that this one depends on did not pass, so running it would only repeat the news."""
    NOT_ASSESSED = "not_assessed"
    """This machine cannot judge it; decided before the learner's code runs, so it leaves the denominator."""
    ERRORED = "errored"
    """The grader's own fault: the report is incomplete and must not become a grade."""
