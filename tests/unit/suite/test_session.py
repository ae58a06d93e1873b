"""What a session asks for before any of the learner's code is loaded."""

from collections.abc import Sequence

import pytest

from grader.course.load import load_course
from grader.course.trees import builtin_course
from grader.model.errors import RunnerError
from grader.model.rubric import Limits
from grader.model.submission import Cell, SourceFile
from grader.sandbox.budget import Budget
from grader.sandbox.jail import JailSettings
from grader.sandbox.processes import Sandbox, Worker
from grader.suite.session import ExerciseSession


class NoWorkers(Sandbox):
    """Remembers what a worker should have imported already."""

    asked: Sequence[str] = ()

    def start_worker(self, settings: JailSettings, limits: Limits, preload: Sequence[str] = ()) -> Worker:
        """Start none."""
        self.asked = preload
        raise RunnerError(f"no workers here: {settings}, {limits}")


FILES = {
    "multihead.py": "from heads import split_heads\n",
    "heads.py": "import helpers\n",
    "helpers.py": "import torch\n",
    "visualize.py": "import matplotlib.pyplot as plt\n",
    "plots/__init__.py": "import seaborn\n",
}


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
    session = ExerciseSession(
        sandbox=sandbox,
        jail=JailSettings(readable=(), hidden=()),
        exercise=load_course(builtin_course(), ["heads"]).exercise("heads"),
        files=[SourceFile(path=path, cells=(Cell(text=text),)) for path, text in (FILES | changes).items()],
        entry=entry,
        exercise_ids=["heads", "multihead", "visualize"],
        stand_ins=[],
        budget=Budget(60),
    )

    with pytest.raises(RunnerError, match="no workers here"):
        session.begin_check(1)

    assert preloaded == sandbox.asked
