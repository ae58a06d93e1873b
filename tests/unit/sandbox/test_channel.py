"""Deadlines of the channel: they are for the other end, and not for the machine."""

import os
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from grader.sandbox.channel import Channel, ChannelTimeoutError
from grader.sandbox.processes import starved_s
from grader.sandbox.wire import pack_frame


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    """A channel, and its other end."""
    ours, theirs = socket.socketpair()
    output, printing = os.pipe()
    channel = Channel(ours, output, 100)
    yield channel, theirs
    theirs.close()
    os.close(printing)
    channel.close()


def test_time_without_a_processor_comes_on_top_of_a_deadline(ends: tuple[Channel, socket.socket]) -> None:
    """An answer is taken that is late by less than what the machine did not give."""
    channel, theirs = ends
    channel.starved_s = lambda: 60.0
    answering = threading.Timer(0.3, theirs.sendall, [pack_frame({"late": True})])
    answering.start()

    assert {"late": True} == channel.receive(time.monotonic() + 0.05)
    answering.join()


def test_only_what_was_not_given_comes_on_top(ends: tuple[Channel, socket.socket]) -> None:
    """Code that runs for ever is not waited for."""
    channel, _ = ends
    asked: list[float] = []

    def starved() -> float:
        asked.append(0.1)
        return 0.1

    channel.starved_s = starved
    started = time.monotonic()

    with pytest.raises(ChannelTimeoutError):
        channel.receive(started + 0.05)

    assert 2 == len(asked)  # once for more time, and once to see that there is no more
    assert time.monotonic() - started >= 0.15


def test_an_answer_that_lies_there_is_taken_however_late_one_looks(ends: tuple[Channel, socket.socket]) -> None:
    """It was this end that had no processor."""
    channel, theirs = ends
    theirs.sendall(pack_frame({"ok": True}))

    assert {"ok": True} == channel.receive(time.monotonic() - 1)


def test_a_sleeping_process_is_not_starved() -> None:
    """Waiting for anything but a processor counts as its own time; a process that is gone has none."""
    before = starved_s(os.getpid())
    time.sleep(0.3)

    assert 0 <= starved_s(os.getpid()) - before < 0.3
    assert 0.0 == starved_s(2**22 + 1)
