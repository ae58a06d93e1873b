"""The least isolation that is demanded is there before any learner's code runs."""

import functools
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli.main import EXIT_FULL_MARKS, EXIT_GRADER_FAILED, grade
from grader.grading import local
from grader.grading.client import Runner
from grader.grading.messages import Job, RunnerSettings
from grader.model.errors import IsolationError
from grader.model.report import ISOLATION_LEVELS, Isolation, IsolationLevel
from grader.model.submission import Cell, Entry, SourceFile, Submission
from tests.conftest import MINI_COURSE

RIGHT = "def double(x, times):\n    if times < 0:\n        raise ValueError\n    return x * 2 ** times\n"


@pytest.mark.parametrize("given", ISOLATION_LEVELS)
@pytest.mark.parametrize("demanded", [*ISOLATION_LEVELS, None])
def test_as_much_as_was_demanded_will_do_and_more_too(given: IsolationLevel, demanded: IsolationLevel | None) -> None:
    """And without a demand whatever there is."""
    enough = demanded is None or "strong basic process".index(given) <= "strong basic process".index(demanded)
    isolation = Isolation(level=given, start_method="fork", missing=("landlock: not here",))

    if enough:
        isolation.demand(demanded)
    else:
        with pytest.raises(IsolationError, match=rf"{demanded} isolation .* gives {given} \(landlock: not here\)"):
            isolation.demand(demanded)


@pytest.mark.parametrize("start_method", ["fork", "spawn"])
@pytest.mark.parametrize("lanes", [1, 2])
def test_less_than_was_demanded_grades_nothing(start_method, lanes: int, capfd: pytest.CaptureFixture[str]) -> None:
    """Not even a submission for which no code need be run: a class must not be half graded."""
    settings = RunnerSettings(
        course=str(MINI_COURSE),
        start_method=start_method,
        lanes=lanes,
        layers_off=("seccomp",),
        require_isolation="basic",
    )
    files = (SourceFile(path="double.py", cells=(Cell(text=RIGHT),)),)
    entries = (Entry(exercise="double", path="double.py"), Entry(exercise="layer", path=None))
    job = Job(submission=Submission(id="s", files=files), entries=entries, seed=3)
    events = []

    with (
        Runner(settings) as runner,
        pytest.raises(IsolationError, match=r"basic isolation .* gives process .*seccomp: turned off"),
    ):
        events.extend(runner.grade(job))

    assert [] == events
    assert "" == capfd.readouterr().err


@pytest.mark.parametrize(("demanded", "code"), [("process", EXIT_FULL_MARKS), ("strong", EXIT_GRADER_FAILED)])
def test_grade_check_refuses_in_one_line(
    demanded: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the exit code of a run that is no grade, and a word on what to do."""
    (tmp_path / "double.py").write_text(RIGHT)
    monkeypatch.setattr(local, "RunnerSettings", functools.partial(RunnerSettings, layers_off=("seccomp",)))
    arguments = ["check", str(tmp_path / "double.py"), "--course", str(MINI_COURSE), "--require-isolation", demanded]

    result = CliRunner().invoke(grade, arguments)

    assert code == result.exit_code, result.output
    if code:
        assert 1 == len(result.output.strip().splitlines()), result.output
        assert "--require-isolation process" in result.output
