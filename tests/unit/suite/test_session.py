"""What a session asks for before any of the learner's code is loaded, and whose fault it is when time runs out."""

from collections.abc import Sequence
from typing import Any

import pytest

from grader.course.load import load_course
from grader.course.trees import builtin_course
from grader.model.errors import RunnerError
from grader.model.report import Isolation
from grader.model.rubric import Limits
from grader.model.submission import Cell, SourceFile
from grader.model.verdict import Verdict
from grader.sandbox.budget import Budget
from grader.sandbox.jail import JailSettings
from grader.sandbox.problems import LearnerProblem
from grader.sandbox.processes import Sandbox, Usage, Worker
from grader.suite.session import ExerciseSession


class NoWorkers(Sandbox):
    """Remembers what a worker should have imported already."""

    asked: Sequence[str] = ()

    def start_worker(self, settings: JailSettings, limits: Limits, preload: Sequence[str] = ()) -> Worker:
        """Start none."""
        self.asked = preload
        raise RunnerError(f"no workers here: {settings}, {limits}")


class SlowWorker(Worker):
    """Answers so many requests, and then none in time."""

    printed = ("", 0)
    starved_s = 0.0
    accelerator = "cpu"
    isolation = Isolation(level="strong", start_method="fork", layers=(), missing=())

    def __init__(self, answers: int) -> None:
        self.answers = answers

    def ask(self, request: dict[str, Any], limit_s: float) -> dict[str, Any]:
        """Let the limit pass."""
        del request
        self.answers -= 1
        if self.answers >= 0:
            return {"ok": True}
        raise LearnerProblem(Verdict.TIMED_OUT, f"Your code did not finish within {limit_s:g} s.")

    def close(self) -> Usage:
        """End nothing."""
        return Usage(0, 0, 0.0)


class SlowWorkers(Sandbox):
    """Starts one worker that gets slow after so many answers."""

    def __init__(self, answers: int) -> None:
        self.worker = SlowWorker(answers)

    def start_worker(self, settings: JailSettings, limits: Limits, preload: Sequence[str] = ()) -> Worker:
        """Return it."""
        del settings, limits, preload
        return self.worker


FILES = {
    "multihead.py": "from heads import split_heads\n",
    "heads.py": "import helpers\n",
    "helpers.py": "import torch\n",
    "visualize.py": "import matplotlib.pyplot as plt\n",
    "plots/__init__.py": "import seaborn\n",
}


def session_of(sandbox: Sandbox, entry: str, files: dict[str, str], submission_s: float = 60) -> ExerciseSession:
    """A session with an exercise of the built-in course."""
    return ExerciseSession(
        sandbox=sandbox,
        jail=JailSettings(readable=(), hidden=()),
        exercise=load_course(builtin_course(), ["heads"]).exercise("heads"),
        files=[SourceFile(path=path, cells=(Cell(text=text),)) for path, text in files.items()],
        entry=entry,
        exercise_ids=["heads", "multihead", "visualize"],
        stand_ins=[],
        budget=Budget(submission_s),
    )


@pytest.mark.parametrize(
    ("entry", "changes", "preloaded"),
    [
        pytest.param("multihead.py", {}, [], id="what another exercise draws with is not waited for"),
        pytest.param("visualize.py", {}, ["matplotlib.pyplot"], id="its own libraries"),
        pytest.param("visualize.py", {"visualize.py": '"""seaborn.heatmap does."""'}, ["matplotlib.pyplot"], id="said"),
        pytest.param(
            "visualize.py", {"visualize.py": "from pylab import *"}, ["matplotlib.pyplot"], id="its other name"
        ),
        pytest.param("multihead.py", {"helpers.py": "import seaborn\n"}, ["matplotlib.pyplot", "seaborn"], id="far"),
        pytest.param("heads.py", {"helpers.py": "__import__('visualize')\n"}, ["matplotlib.pyplot"], id="by a string"),
        pytest.param(
            "heads.py", {"helpers.py": "import plots\n"}, ["matplotlib.pyplot", "seaborn"], id="what a package imports"
        ),
    ],
)
def test_slow_libraries_are_imported_where_they_are_within_reach(
    entry: str, changes: dict[str, str], preloaded: list[str]
) -> None:
    """The import of matplotlib takes a second: only exercises whose files can come to it wait for that."""
    sandbox = NoWorkers()
    session = session_of(sandbox, entry, FILES | changes)

    with pytest.raises(RunnerError, match="no workers here"):
        session.begin_check(1)

    assert preloaded == sandbox.asked


@pytest.mark.parametrize(
    ("answers", "submission_s", "verdict", "rationale"),
    [
        pytest.param(0, 1, Verdict.SKIPPED, "Not run to the end: the time for the whole submission", id="importing"),
        pytest.param(0, 60, Verdict.TIMED_OUT, "Importing heads.py took too long.", id="importing without end"),
        pytest.param(1, 1, Verdict.SKIPPED, "Not run to the end: the time for the whole submission", id="calling"),
        pytest.param(1, 60, Verdict.TIMED_OUT, "`split_heads` did not finish within 5 s", id="calling without end"),
    ],
)
def test_what_the_end_of_the_submission_s_time_cuts_short_is_not_blamed(
    answers: int, submission_s: float, verdict: Verdict, rationale: str
) -> None:
    """A call that had no time says nothing of its function, which gets what the checks get that are not reached."""
    session = session_of(SlowWorkers(answers), "heads.py", FILES, submission_s)

    with pytest.raises(LearnerProblem) as problem:
        session.begin_check(1).request({"op": "call"}, "split_heads")

    assert verdict is problem.value.verdict
    assert problem.value.rationale.startswith(rationale)
