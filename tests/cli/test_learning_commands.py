"""init, list, hint, reset and solution: what a learner types beside check."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli.main import grade
from grader.course.load import load_course
from grader.course.trees import builtin_course
from grader.course.workspace import Workspace
from grader.model.progress import ExerciseProgress, Progress
from tests.conftest import MINI_COURSE

COURSE = ["--course", str(MINI_COURSE)]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh workspace, which is the current folder."""
    folder = tmp_path / "arbeit é 1"
    assert 0 == run("init", str(folder), *COURSE).exit_code
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str) -> Result:
    """Type a command."""
    return CliRunner().invoke(grade, list(arguments))


def test_init_writes_the_stubs_and_a_readme(workspace: Path) -> None:
    """Byte for byte the course's stubs."""
    assert (MINI_COURSE / "exercises/double.py").read_bytes() == (workspace / "double.py").read_bytes()
    assert "grade check" in (workspace / "README.md").read_text("utf-8")
    assert {"double.py", "layer.py", "README.md", ".attention-dojo"} == {path.name for path in workspace.iterdir()}


def test_init_overwrites_nothing(workspace: Path) -> None:
    """A second init brings back what is missing and keeps the rest."""
    (workspace / "double.py").write_text("mine")
    (workspace / "layer.py").unlink()

    result = run("init", ".", *COURSE)

    assert "mine" == (workspace / "double.py").read_text()
    assert "Wrote layer.py" in result.output
    assert "Kept as they were: double.py, README.md" in result.output


def test_init_names_the_folder_so_that_it_can_be_typed(tmp_path: Path) -> None:
    """A space does not cut the name in two."""
    folder = tmp_path / "моя работа"

    result = run("init", str(folder), *COURSE)

    typed = result.output.split("then type: ")[1].split(" && ")[0]
    assert ["cd", str(folder)] == shlex.split(typed)


def test_init_where_nothing_can_be_written_is_one_line(tmp_path: Path) -> None:
    """Wrong usage, no traceback."""
    (tmp_path / "file").write_text("")

    result = run("init", str(tmp_path / "file" / "below"), *COURSE)

    assert 2 == result.exit_code
    assert "cannot be written" in result.output


def test_list_shows_what_was_reached(workspace: Path) -> None:
    """Points of the best run, and what comes next."""
    reached = {"double": ExerciseProgress(score=1, best=4, max_score=4)}
    Workspace(workspace).write_progress(Progress(exercises=reached))

    output = run("list", *COURSE).output

    assert "4/4" in output
    assert "1 of 2 passed." in output
    assert "Next: layer." in output


def test_list_shows_level_minutes_and_what_each_builds_on(workspace: Path) -> None:
    """What it takes to begin, in the rubric's words."""
    rows = [line.split() for line in run("list", *COURSE).output.splitlines()]

    assert ["exercise", "what", "you", "build", "level", "minutes", "points", "builds", "on"] == rows[1]
    assert ["·", "layer", "A", "layer", "that", "doubles", "●○○○○", "20", "3", "double"] == rows[3]


def test_a_narrow_screen_cuts_no_name(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are to be typed; titles make room for them."""
    monkeypatch.setenv("COLUMNS", "40")

    output = run("list").output

    assert all(f"·  {name} " in output for name in load_course(builtin_course()).settings.exercises)
    assert "…" not in output


def test_hints_come_one_rung_at_a_time(workspace: Path) -> None:
    """Idea, where, nearly the line; then the last one again."""
    shown = [run("hint", "double", *COURSE).output for _ in range(4)]

    assert ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3"] == [output[:11] for output in shown]
    assert "Twice twice is four times." in shown[0]
    assert "grade solution double" in shown[3]


def test_a_rung_can_be_asked_for_again(workspace: Path) -> None:
    """Without going on."""
    run("hint", "double", *COURSE)

    assert "Hint 1 of 3" in run("hint", "double", "--rung", "1", *COURSE).output
    assert "Hint 2 of 3" in run("hint", "double", *COURSE).output


def test_hints_can_be_about_one_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has the masks right needs no hint about them; another function begins with its own first one."""
    monkeypatch.chdir(tmp_path)
    assert 0 == run("init", "mine").exit_code
    monkeypatch.chdir("mine")

    shown = [run("hint", "masking", "masked_softmax").output for _ in range(4)]
    other = [run("hint", "masking", "create_causal_mask").output for _ in range(2)]

    assert [10, 11, 12, 12] == [int(output.split()[1]) for output in shown]
    assert all("masked_softmax, " in output for output in shown)
    assert "More: grade hint masking masked_softmax" in shown[0]
    assert "grade solution masking" in shown[3]
    assert [4, 5] == [int(output.split()[1]) for output in other]
    assert "Hint 1 of 12" in run("hint", "masking").output  # whose ladder is another
    assert "Hint 2 of 12" in run("hint", "masking").output
    unknown = run("hint", "masking", "softmax")
    assert 2 == unknown.exit_code
    assert "The hints here are about create_padding_mask, create_causal_mask," in unknown.output


def test_outside_a_workspace_a_hint_says_how_to_get_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written into a stranger's folder."""
    monkeypatch.chdir(tmp_path)

    assert "--rung 2" in run("hint", "double", *COURSE).output
    assert [] == list(tmp_path.iterdir())


def test_an_unknown_exercise_is_wrong_usage_with_a_suggestion(workspace: Path) -> None:
    """In every command that takes one."""
    for command in ("hint", "reset", "solution"):
        result = run(command, "duoble.py", *COURSE)

        assert 2 == result.exit_code
        assert "Did you mean 'double'?" in result.output


def test_reset_restores_the_stub_and_keeps_a_backup(workspace: Path) -> None:
    """Nothing is lost, also when it is done twice in one second."""
    for text in ("first", "second"):
        (workspace / "double.py").write_text(text)
        assert 0 == run("reset", "double", *COURSE).exit_code

    assert (MINI_COURSE / "exercises/double.py").read_text() == (workspace / "double.py").read_text()
    assert {"first", "second"} == {path.read_text() for path in workspace.glob("double.py.bak-*")}


def test_the_solution_is_shown_after_a_pass_only(workspace: Path) -> None:
    """Or to somebody who gives up."""
    refused = run("solution", "double", *COURSE)
    assert 1 == refused.exit_code
    assert "return x * 2**times" not in refused.output

    assert "return x * 2**times" in run("solution", "double", "--give-up", *COURSE).output

    reached = {"double": ExerciseProgress(score=4, best=4, max_score=4)}
    Workspace(workspace).write_progress(Progress(exercises=reached))
    assert "return x * 2**times" in run("solution", "double", *COURSE).output


def test_a_broken_record_of_progress_is_no_fault(workspace: Path) -> None:
    """It counts as nothing reached."""
    (workspace / ".attention-dojo" / "progress.json").write_text("{broken")

    assert "0 of 2 passed." in run("list", *COURSE).output


def test_a_folder_that_is_no_course_is_wrong_usage(tmp_path: Path) -> None:
    """Named with what was expected."""
    result = run("list", "--course", str(tmp_path))

    assert 2 == result.exit_code
    assert "expected rubrics/course.yaml" in result.output
