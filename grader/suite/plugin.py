"""The pytest plugin: collect the hidden suites once, then run their checks on one submission after another."""

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Final, Literal, Protocol, TypeGuard

import pytest
from _pytest.runner import runtestprotocol

from grader.model.errors import CourseError
from grader.model.report import Measurement, Observation
from grader.sandbox.remote import Conversation, RemoteLearner
from grader.suite.answers import Answers
from grader.suite.draw import Draw
from grader.suite.time_limit import TimeLimit

_CONFIGURATION = Path(__file__).with_name("pytest.ini")
_SUITE_PREFIX = "test_"
_OWN_FIXTURES: Final = frozenset({"learner", "draw", "observe", "answers"})
_OWN_MARKERS: Final = frozenset({"depends_on", "accelerator"})
_CHECK_S: Final = 60.0
"""A check's own share is milliseconds: learners' code runs elsewhere. Training known code here takes some seconds."""


class Observe(Protocol):
    """The type of the fixture ``observe``."""

    def __call__(self, sentence: str, **numbers: float) -> None:
        """Record what a concept check measured."""


@dataclass
class CheckRun:
    """One run of one check: what its fixtures are made of, and what came of it."""

    conversation: Conversation
    draw: Draw
    answers: Answers = field(default_factory=Answers)
    observation: Observation | None = None
    error: BaseException | None = None
    finished: bool = False

    def observe(self, sentence: str, **numbers: float) -> None:
        """
        Record the numbers and the sentence that learners are shown.

        A number that is not finite is left out: a report is JSON, which has none.
        """
        measured = tuple(
            Measurement(label=label, value=float(value)) for label, value in numbers.items() if math.isfinite(value)
        )
        self.observation = Observation(numbers=measured, sentence=sentence)


@dataclass
class SuitePlugin:
    """
    Holds the collected checks and runs them.

    Args:
        serve: Called once when everything is collected; grades until there is nothing more to grade.
    """

    serve: Callable[["SuitePlugin"], None]
    items: dict[str, dict[str, pytest.Item]] = field(default_factory=dict)
    """The test items, by exercise and check."""
    run: CheckRun | None = None
    collection_errors: list[str] = field(default_factory=list)
    failure: Exception | None = None
    """What ended ``serve``: pytest would only say that something did."""

    def depends_on(self, exercise: str, check: str) -> list[str]:
        """Return the checks without which this one is not run."""
        return [other for marker in self.items[exercise][check].iter_markers("depends_on") for other in marker.args]

    def needs_code(self, exercise: str, check: str) -> bool:
        """Return whether a check asks the learner's code; one that does not can be judged without any."""
        item = self.items[exercise][check]
        return not isinstance(item, pytest.Function) or "learner" in item.fixturenames

    def module(self, exercise: str) -> ModuleType:
        """Return an exercise's suite, whose helpers others than its checks may use."""
        item = next(iter(self.items[exercise].values()))
        assert isinstance(item, pytest.Function)
        module: ModuleType = item.module
        return module

    def run_check(self, exercise: str, check: str, run: CheckRun) -> None:
        """Run one check; what came of it is in ``run`` afterwards."""
        item = self.items[exercise][check]
        if _is_plain(item):
            self._call(item, run)
            return
        self.run = run
        # No next item: every fixture is torn down, so that nothing of this submission is left for the next.
        with TimeLimit(_CHECK_S):
            runtestprotocol(item, log=False, nextitem=None)
        self.run = None

    @staticmethod
    def _call(item: pytest.Function, run: CheckRun) -> None:
        """Call a plain check with the kit's own fixtures, as pytest would, which takes it 1.5 ms longer."""
        values = {
            "learner": RemoteLearner(run.conversation),
            "draw": run.draw,
            "observe": run.observe,
            "answers": run.answers,
        }
        try:
            with TimeLimit(_CHECK_S):
                item.obj(**{name: values[name] for name in item.fixturenames})
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - kept, to become the check's verdict
            run.error = error
        run.finished = True

    @pytest.fixture
    def learner(self) -> RemoteLearner:
        """The learner's code, which runs in another process."""
        assert self.run is not None
        return RemoteLearner(self.run.conversation)

    @pytest.fixture
    def draw(self) -> Draw:
        """Random inputs that depend only on the run's seed and the check."""
        assert self.run is not None
        return self.run.draw

    @pytest.fixture
    def answers(self) -> Answers:
        """What the learner predicted."""
        assert self.run is not None
        return self.run.answers

    @pytest.fixture
    def observe(self) -> Observe:
        """Record what a concept check measured."""
        assert self.run is not None
        return self.run.observe

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep why a suite cannot be collected."""
        if report.failed:
            self.collection_errors.append(str(report.longrepr))

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take over from pytest once everything is collected."""
        for item in session.items:
            exercise = item.path.stem.removeprefix(_SUITE_PREFIX)
            self.items.setdefault(exercise, {})[item.name.removeprefix(_SUITE_PREFIX)] = item
        if not self.collection_errors:
            try:
                self.serve(self)
            except Exception as error:  # noqa: BLE001 - kept, to be raised again outside pytest
                self.failure = error
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """Keep what a check raised, as the exception that it is.

        pytest's own report of it would take 0.1 s to write, and nobody would read it.
        """
        if self.run is not None:
            if call.excinfo is not None and self.run.error is None:
                self.run.error = call.excinfo.value
            self.run.finished = self.run.finished or call.when == "call"
        assert call.when != "collect"
        outcome: Literal["passed", "failed"] = "failed" if call.excinfo else "passed"
        return pytest.TestReport(
            item.nodeid,
            item.location,
            {},
            outcome,
            None,
            call.when,
            duration=call.duration,
            start=call.start,
            stop=call.stop,
        )


def _is_plain(item: pytest.Item) -> TypeGuard[pytest.Function]:
    """Whether a check uses nothing of pytest but the kit's own fixtures and markers."""
    return (
        isinstance(item, pytest.Function)
        and item.cls is None
        and not hasattr(item, "callspec")
        and _OWN_FIXTURES.issuperset(item.fixturenames)
        and _OWN_MARKERS.issuperset(marker.name for marker in item.iter_markers())
    )


def run_suites(hidden: Path, exercises: Sequence[str], serve: Callable[[SuitePlugin], None]) -> None:
    """
    Collect the suites of these exercises and call ``serve`` with them.

    pytest is started so that nothing outside the kit and the course can change what it does: own configuration, own
    root, no plugins from the environment, and no folder of a submission anywhere.

    Raises:
        CourseError: If a suite cannot be collected.
        Exception: Whatever ``serve`` raises.
    """
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    plugin = SuitePlugin(serve)
    off = ("cacheprovider", "terminal", "unraisableexception", "threadexception", "logging", "doctest", "junitxml")
    arguments = [
        *(argument for name in off for argument in ("-p", f"no:{name}")),
        f"--rootdir={hidden}",
        f"--confcutdir={hidden}",
        f"--config-file={_CONFIGURATION}",
        "--import-mode=importlib",
        "--assert=plain",  # suites fail with sentences, so rewriting their asserts would only cost time
        "--capture=no",
        "--noconftest",
        *(str(hidden / f"{_SUITE_PREFIX}{exercise}.py") for exercise in exercises),
    ]
    status = pytest.main(arguments, plugins=[plugin])
    if plugin.collection_errors:
        raise CourseError("a hidden suite cannot be collected:\n" + "\n".join(plugin.collection_errors))
    if plugin.failure is not None:
        raise plugin.failure
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise CourseError(f"pytest could not collect the hidden suites (exit status {int(status)})")
