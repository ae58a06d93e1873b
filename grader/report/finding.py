"""Say all that is known about one check, fact by fact, in the order in which a learner needs it."""

from collections.abc import Sequence
from enum import Enum, auto
from typing import NamedTuple

from grader.model.report import CheckResult
from grader.model.submission import LearnerFrame
from grader.model.verdict import Verdict
from grader.report.harmless import excerpt, harmless_line, shorten
from grader.report.sentences import end, frame_place, measured, mismatch_title, what_happened

_SENTENCE_COLUMNS = 1000
_VALUE_COLUMNS = 300
_MESSAGE_LINES = 12
_CODE_COLUMNS = 120
_FRAMES = 6


class Look(Enum):
    """How a fact is set."""

    SENTENCE = auto()
    """One line of prose, wrapped."""
    CODE = auto()
    """Lines that keep their breaks and indents."""
    COMPARISON = auto()
    """Expected, got and, if there is more to say, how far the difference goes."""


class Fact(NamedTuple):
    """One thing to tell about a check. Its lines are harmless already."""

    label: str
    look: Look
    lines: tuple[str, ...]


def facts_of(check: CheckResult, said: str = "") -> list[Fact]:
    """
    Return what to tell about a check, its claim left out.

    Args:
        check: The check.
        said: What the reader has just read, such as the headline; it is not said again.
    """
    facts = [
        _sentence("Why it matters", check.why),
        _sentence("What happened", _unless_said(_what_happened(check), said)),
        Fact("Exception", Look.CODE, _message_lines(check.message)),
        Fact("In your code", Look.CODE, tuple(_frame_lines(check.traceback))),
    ]
    if check.mismatch is not None:
        values = (check.mismatch.expected, check.mismatch.got, check.mismatch.detail)
        lines = tuple(shorten(harmless_line(value), _VALUE_COLUMNS) for value in values if value)
        facts.append(Fact(harmless_line(mismatch_title(check.mismatch)), Look.COMPARISON, lines))
    if check.observation is not None:
        facts.append(_sentence("Measured", f"{measured(check.observation)}. {end(check.observation.sentence)}"))
    if check.diagnosis is not None:
        explanation = _unless_said(end(check.diagnosis.explanation), said)
        facts.append(_sentence("Recognised", f"{explanation} {end(check.diagnosis.fact)}"))
        facts.append(_sentence("Look at", check.diagnosis.look_at))
    facts.append(_sentence("Hint", check.hint))
    facts.append(_sentence("Note", check.note))
    return [fact for fact in facts if any(fact.lines)]


def has_more(check: CheckResult) -> bool:
    """Whether there is more to tell about a check than its claim and its verdict."""
    if check.verdict is Verdict.PASSED:
        return bool(check.observation or check.note)
    return any((check.rationale, check.hint, check.why, check.diagnosis, check.mismatch, check.message))


def _what_happened(check: CheckResult) -> str:
    return what_happened(check) if check.verdict is not Verdict.PASSED else check.rationale


def _sentence(label: str, sentence: str) -> Fact:
    return Fact(label, Look.SENTENCE, (shorten(harmless_line(sentence), _SENTENCE_COLUMNS),))


def _unless_said(sentence: str, said: str) -> str:
    return "" if sentence and end(sentence) in said else sentence


def _message_lines(message: str) -> tuple[str, ...]:
    if not message:
        return ()
    return tuple(excerpt(message, _MESSAGE_LINES, _VALUE_COLUMNS).text.split("\n"))


def _frame_lines(frames: Sequence[LearnerFrame]) -> list[str]:
    shown = list(frames)
    left_out = len(shown) - _FRAMES
    lines = []
    for index, frame in enumerate(shown):
        if left_out > 0 and 2 <= index < 2 + left_out:
            if index == 2:
                lines.append(f"… {left_out:,} more of your lines …")
            continue
        lines.append(shorten(harmless_line(frame_place(frame)), _CODE_COLUMNS))
        if frame.source:
            lines.append("    " + shorten(harmless_line(frame.source), _CODE_COLUMNS))
    return lines
