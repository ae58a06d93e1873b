"""The engine: a runner that dies, hangs or errs is replaced, and the submission tried once more."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.grading.engine import Attempted, LocalEngine
from grader.grading.messages import Graded, Job, RunnerSettings
from grader.model.errors import IsolationError, RunnerError
from grader.model.report import ScoreReport
from grader.model.verdict import Verdict
from tests.unit.grading.made_up import COURSE, report_of, submission_of

SUBMISSION = submission_of("x")
JOB = Job(submission=SUBMISSION, entries=(), seed=1)
GOOD = report_of(SUBMISSION)
CRASHED = report_of(SUBMISSION, doubles=Verdict.CRASHED)
INCOMPLETE = report_of(SUBMISSION, doubles=Verdict.ERRORED)


class Actors:
    """Stand-ins for runners, which do what a script says: a report, or an exception."""

    def __init__(self, *script: ScoreReport | Exception) -> None:
        self.script = list(script)
        self.made: list[Actor] = []

    def __call__(self, *_: object) -> "Actor":
        """Begin another."""
        self.made.append(Actor(self))
        return self.made[-1]


class Actor:
    """One of them."""

    def __init__(self, actors: Actors) -> None:
        self.actors = actors
        self.killed = False

    def grade(self, *_: object) -> Iterator[Graded]:
        """Do the next thing."""
        next_thing = self.actors.script.pop(0)
        if isinstance(next_thing, Exception):
            raise next_thing
        yield Graded(report=next_thing)

    def kill(self) -> None:
        """Note it."""
        self.killed = True

    def close(self) -> None:
        """Nothing is left open."""


Play = Callable[..., tuple[Attempted, Actors]]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    """Grade one submission with runners that follow a script."""

    def playing(*script: ScoreReport | Exception) -> tuple[Attempted, Actors]:
        actors = Actors(*script)
        monkeypatch.setattr("grader.grading.engine.Runner", actors)
        engine = LocalEngine(RunnerSettings(course="/"), COURSE, jobs=1)
        try:
            return engine.grade(JOB).result(10), actors
        finally:
            engine.close()

    return playing


def test_a_runner_that_dies_is_replaced_and_the_submission_tried_again(play: Play) -> None:
    """Nobody notices."""
    attempted, actors = play(RunnerError("died"), GOOD)

    assert Attempted(GOOD) == attempted
    assert 2 == len(actors.made)
    assert actors.made[0].killed


def test_a_check_that_errs_is_tried_again_on_a_fresh_runner(play: Play) -> None:
    """What made it err may still be there in the old one."""
    attempted, actors = play(INCOMPLETE, GOOD)

    assert Attempted(GOOD) == attempted
    assert 2 == len(actors.made)
    assert actors.made[0].killed


def test_a_fault_that_comes_twice_is_told(play: Play) -> None:
    """With what is known: the report, if there is one."""
    assert Attempted(None, "again") == play(RunnerError("died"), RunnerError("again"))[0]
    attempted, _ = play(RunnerError("died"), INCOMPLETE)
    assert INCOMPLETE == attempted.report
    assert "double, doubles: " in attempted.problem


def test_a_crash_counts_only_if_it_happens_again(play: Play) -> None:
    """A system that is short of memory kills whom it likes."""
    assert Attempted(GOOD) == play(CRASHED, GOOD)[0]
    attempted, actors = play(CRASHED, CRASHED)
    assert Attempted(CRASHED) == attempted
    assert 1 == len(actors.made)
    # Code that always crashes somewhere can be killed elsewhere, the second time too.
    elsewhere = report_of(SUBMISSION, COURSE, doubles=Verdict.CRASHED, doubles_and_shifts=Verdict.CRASHED)
    assert Attempted(CRASHED) == play(CRASHED, elsewhere, CRASHED)[0]
    assert Attempted(CRASHED) == play(elsewhere, CRASHED)[0]


def test_a_machine_that_cannot_be_used_ends_everything(play: Play) -> None:
    """No submission is blamed."""
    with pytest.raises(IsolationError, match="too little"):
        play(IsolationError("too little"))


def test_runners_share_one_folder_that_is_gone_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are killed, nothing is left behind."""
    given: list[RunnerSettings] = []

    def start(settings: RunnerSettings, *_: object) -> Actor:
        given.append(settings)
        return Actor(Actors(RunnerError("died") if len(given) == 1 else GOOD))

    monkeypatch.setattr("grader.grading.engine.Runner", start)
    engine = LocalEngine(RunnerSettings(course="/"), COURSE, jobs=1)
    engine.grade(JOB).result(10)
    folders = {Path(settings.working_directory) for settings in given}

    assert 2 == len(given)
    assert [True] == [folder.is_dir() and not list(folder.iterdir()) for folder in folders]
    engine.close()
    assert not any(folder.exists() for folder in folders)


def test_runners_that_fail_at_everything_end_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of recording a whole class as errored."""
    monkeypatch.setattr("grader.grading.engine.Runner", Actors(*[RunnerError("no torch")] * 20))
    engine = LocalEngine(RunnerSettings(course="/"), COURSE, jobs=1)
    futures = [engine.grade(JOB) for _ in range(4)]

    with pytest.raises(RunnerError, match="no submission could be graded. The last problem: no torch"):
        [future.result(10) for future in futures]
    engine.close()
