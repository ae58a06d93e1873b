"""A conversation of lines that never lasts longer than its deadline."""

import os
import signal
import time
from collections.abc import Iterator

import pytest

from grader.grading.line_process import LineProcess
from grader.grading.messages import ReaderSettings, Reading, ReadingDone
from grader.model.errors import RunnerError
from tests.unit.grading.made_up import hand_in_of, submission_of

READING = Reading(hand_in=hand_in_of("ana"), submission=submission_of("def double(x, times): ...", "ana"))


@pytest.fixture
def reader() -> Iterator[LineProcess]:
    """A process that answers, and needs no torch."""
    process = LineProcess("grader.grading.reader", "reader")
    process.send(ReaderSettings(source="", promises={"double": ("double",)}).model_dump_json())
    yield process
    process.close()


def ask(process: LineProcess, reading: Reading = READING, within_s: float = 60) -> ReadingDone:
    """Ask once."""
    deadline = time.monotonic() + within_s
    process.send(reading.model_dump_json(), deadline)
    return ReadingDone.model_validate_json(process.receive(deadline))


def test_lines_go_in_and_out(reader: LineProcess) -> None:
    """One after another; also one far larger than a pipe."""
    large = Reading(hand_in=READING.hand_in, submission=submission_of("#" * 3_000_000, "ana"))

    assert "double.py" == ask(reader).entries[0].path
    assert large.submission == ask(reader, large).submission
    assert READING.submission == ask(reader).submission


def test_a_process_that_stopped_is_ended_at_the_deadline(reader: LineProcess) -> None:
    """Whether it was to take a line or to give one."""
    ask(reader)
    os.kill(reader.pid, signal.SIGSTOP)
    large = Reading(hand_in=READING.hand_in, submission=submission_of("#" * 3_000_000, "ana"))

    with pytest.raises(RunnerError, match="the reader did not answer in time and was ended"):
        ask(reader, large, within_s=0.2)
    with pytest.raises(RunnerError, match="the reader ended unexpectedly"):
        ask(reader)


def test_a_process_that_is_killed_is_told_of(reader: LineProcess) -> None:
    """With its status."""
    ask(reader)
    os.kill(reader.pid, signal.SIGKILL)

    with pytest.raises(RunnerError, match=r"the reader ended unexpectedly \(status -9\)"):
        ask(reader)


def test_last_words_are_passed_on() -> None:
    """The last line that it printed on standard error."""
    process = LineProcess("grader.no_such_module", "helper")

    with pytest.raises(RunnerError, match="Its last words: .*No module named grader.no_such_module"):
        process.receive(time.monotonic() + 60)
    process.close()
