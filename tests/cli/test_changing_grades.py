"""adjust, rescore, diff and publish: what an instructor types after a class was graded."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli.main import grade
from grader.grading.store import open_store
from grader.model.verdict import Verdict
from tests.conftest import MINI_COURSE
from tests.unit.grading.made_up import hand_in_of, keep_all, run_of


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with one finished run, in the current folder."""
    monkeypatch.chdir(tmp_path)
    with open_store(tmp_path / "grades.sqlite", create=True) as opened:
        opened.finish_run(keep_all(opened, run_of(), {"007": "a", "anna": "b"}, doubles=Verdict.FAILED))
    return tmp_path / "grades.sqlite"


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """The miniature course with one more point for double."""
    course = Path(shutil.copytree(MINI_COURSE, tmp_path / "course"))
    rubric = course / "rubrics" / "double.yaml"
    text = rubric.read_text("utf-8").replace("points: 4", "points: 5").replace("    points: 1", "    points: 2", 1)
    rubric.write_text(text, "utf-8")
    return course


def run(*arguments: object) -> Result:
    """Type a command."""
    return CliRunner().invoke(grade, [str(argument) for argument in arguments])


def test_a_decision_by_hand_counts_and_is_listed(store: Path) -> None:
    """With its reason and author; withdrawn, the checks decide again."""
    result = run("adjust", "007", "double.values", 2, "--why", "Nearly [right]", "--author", "Ada")

    assert 0 == result.exit_code, result.output
    assert "007 has 7 points in run 1. The files go out with: grade publish" in result.output
    assert "007: double.values: 2 points: Nearly [right] (Ada, " in run("adjust").output
    assert "has 5 points" in run("adjust", "007", "double.values", "--withdraw", "--why", "No.").output
    assert "withdrawn: No." in run("adjust", "007").output
    assert run("adjust", "anna").output.startswith("No decision by hand for anna is in ")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["07", "double.values", 1, "--why", "x"], "nobody in run 1 has the id '07'. Did you mean '007'?"),
        (["007", "values", 1, "--why", "x"], "several exercises have 'values': double.values, layer.values."),
        (["007", "gradient", 1, "--why", "x"], "no criterion 'gradient'. Did you mean 'gradients'?"),
        (["007", "refusal", 2, "--why", "x"], "double.refusal has only 1 points"),
        (["007", "refusal", "nan", "--why", "x"], "double.refusal has only 1 points"),
        (["007", "refusal", "--withdraw", "--why", "x"], "no decision on 'refusal' to withdraw: none stands for 007."),
        (["007", "refusal", 1], "Give the reason with --why: the student reads it."),
        (["007", "refusal", 1, "--why", " "], "Give the reason with --why: the student reads it."),
        (["007", "--withdraw"], "Give STUDENT, CRITERION and either POINTS or --withdraw."),
        (["007", "refusal", "--why", "x"], "Give STUDENT, CRITERION and either POINTS or --withdraw."),
        (["007", "refusal", 1, "--withdraw", "--why", "x"], "Give STUDENT, CRITERION and either POINTS or --withdraw."),
    ],
)
def test_a_decision_that_cannot_be_meant_is_wrong_usage(store: Path, arguments: list[object], complaint: str) -> None:
    """And nothing is kept."""
    result = run("adjust", *arguments)

    assert 2 == result.exit_code
    assert complaint in " ".join(result.output.split())
    assert run("adjust").output.startswith("No decision by hand is in ")


def test_a_changed_rubric_is_applied_compared_and_published(store: Path, changed: Path, tmp_path: Path) -> None:
    """Without running anything; the decision by hand stays."""
    run("adjust", "007", "double.values", 1, "--why", "Half.", "--author", "Ada")

    rescored = run("rescore", "--course", changed)
    compared = run("diff", 1, 2)
    published = run("publish", "--output", tmp_path / "out")

    assert 0 == rescored.exit_code, rescored.output
    assert "See what changes: grade diff 1 2. Then: grade publish" in rescored.output
    assert "007: 6 → 7" in compared.output
    assert "  double.gradients: 1 of 1 → 2 of 2: worth 2 instead of 1" in compared.output
    assert "Run 1 → run 2: 2 of 2 students with another grade, 0 with the same grade in another way." in compared.output
    assert 0 == published.exit_code, published.output
    assert f"Wrote run 2 to {tmp_path / 'out'}: 2 reports" in published.output
    index = json.loads((tmp_path / "out" / "index.json").read_text("utf-8"))
    assert [7, 6] == [student["final"] for student in index["students"]]
    lines = [json.loads(line) for line in run("diff", 1, 2, "--format", "json").output.splitlines()]
    assert [("007", 6, 7), ("anna", 5, 6)] == [(one["student"]["id"], one["before"], one["after"]) for one in lines]


def test_a_decision_whose_criterion_is_gone_is_told_and_can_be_withdrawn(store: Path, changed: Path) -> None:
    """Points that somebody was given by hand must not go without a word."""
    run("adjust", "007", "double.values", 1, "--why", "Half.")
    rubric = changed / "rubrics" / "double.yaml"
    rubric.write_text(rubric.read_text("utf-8").replace("id: values", "id: numbers"), "utf-8")
    note = "what was decided by hand of double.values for 007 counts for nothing: double has no such criterion any more"

    assert note in run("rescore", "--course", changed).output
    assert note in run("publish").output
    assert 0 == run("adjust", "007", "double.values", "--withdraw", "--why", "Gone.").exit_code
    assert "counts for nothing" not in run("publish").output


def test_who_still_waits_keeps_the_report_of_before(store: Path) -> None:
    """A run that was stopped early, or asked for one student, must not remove what the others have."""
    run("publish")
    report = store.parent / "graded" / "students" / "007" / "report.html"
    assert report.is_file()
    with open_store(store) as opened:
        opened.begin_run(run_of(), [hand_in_of("007"), hand_in_of("anna")])

    published = run("publish").output

    assert "2 still wait: they are in neither table, and reports that they had before stay." in published
    assert "No longer in the class" not in published
    assert report.is_file()


def test_rescoring_says_when_verdicts_may_be_out_of_date(store: Path, changed: Path) -> None:
    """Limits and suites decide verdicts; points do not."""
    assert "grade regrade" not in run("rescore", "--course", changed).output
    suite = changed / "tests" / "hidden" / "test_double.py"
    suite.write_text(suite.read_text("utf-8") + "\n", "utf-8")

    assert "`grade regrade` finds new ones" in run("rescore", "--course", changed).output


def test_a_check_that_was_never_run_cannot_be_scored(store: Path, changed: Path) -> None:
    """One line, exit code 3, and no new run."""
    for path in (changed / "tests/hidden/test_double.py", changed / "rubrics/double.yaml"):
        text = path.read_text("utf-8")
        path.write_text(text.replace("doubles_again", "doubles_always"), "utf-8")

    result = run("rescore", "--course", changed)

    assert 3 == result.exit_code
    assert (
        "criterion 'values' names 'doubles_always', which was not run. Grade again with: grade regrade" in result.output
    )
    assert "there is no run 2. The runs are 1." in run("diff", 1, 2).output


def test_without_a_store_each_command_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And makes none."""
    monkeypatch.chdir(tmp_path)

    for command in (["adjust"], ["diff", 1, 2], ["publish"]):
        result = run(*command)
        assert 2 == result.exit_code
        assert "grades.sqlite: there is no store. `grade batch SOURCE` makes it" in result.output
    assert [] == list(tmp_path.iterdir())
