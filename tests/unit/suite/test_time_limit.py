"""Trusted code that never ends is ended, and nothing else is."""

import contextlib
import signal
import threading
import time
from pathlib import Path

import pytest

from grader.sandbox.remote import Conversation
from grader.suite import plugin
from grader.suite.draw import Draw
from grader.suite.plugin import CheckRun, SuitePlugin, run_suites
from grader.suite.time_limit import NeverEndsError, TimeLimit

SUITE = '''
import pytest

@pytest.fixture
def of_pytest():
    return 1

def test_ends(draw):
    """It ends."""

def test_never_ends(draw):
    """It does not."""
    while True:
        pass

def test_never_ends_in_pytest(of_pytest):
    """Nor does this."""
    while True:
        pass
'''


def loop_for_ever() -> None:
    """Never ends."""
    while True:
        pass


def test_an_endless_loop_is_ended() -> None:
    """And said to be one."""
    limit = TimeLimit(0.1)
    with pytest.raises(NeverEndsError, match=r"more than 0\.1 s"), limit:
        loop_for_ever()

    assert limit.over


def test_code_that_catches_everything_is_told_again() -> None:
    """Once would not do."""

    def catch_and_go_on() -> None:
        with contextlib.suppress(NeverEndsError):
            loop_for_ever()
        loop_for_ever()

    with pytest.raises(NeverEndsError), TimeLimit(0.1):
        catch_and_go_on()


def test_waiting_is_not_limited_and_nothing_is_left_behind() -> None:
    """A learner's slow code is timed elsewhere."""
    before = signal.getsignal(signal.SIGPROF)
    with TimeLimit(0.05) as limit:
        time.sleep(0.2)

    assert not limit.over
    assert signal.getsignal(signal.SIGPROF) is before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_in_another_thread_nothing_is_limited_and_nothing_fails() -> None:
    """Signals do not reach it."""
    ended = []

    def work() -> None:
        with TimeLimit(0.01):
            sum(range(10**6))
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended


def test_a_check_that_never_ends_is_the_suites_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the kit calls it or pytest does; the checks after it are run."""
    monkeypatch.setattr(plugin, "_CHECK_S", 0.2)
    (tmp_path / "test_loop.py").write_text(SUITE, "utf-8")
    errors = {}

    def serve(suites: SuitePlugin) -> None:
        for check in ("never_ends", "never_ends_in_pytest", "ends"):
            run = CheckRun(Conversation(lambda *_: {}, 1), Draw(1))
            suites.run_check("loop", check, run)
            errors[check] = type(run.error)

    run_suites(tmp_path, ["loop"], serve)

    assert {"never_ends": NeverEndsError, "never_ends_in_pytest": NeverEndsError, "ends": type(None)} == errors
