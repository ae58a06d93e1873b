"""`grade summary` and `grade export`: what an instructor types after a batch."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli.main import grade
from grader.grading.store import open_store
from grader.model.class_summary import ClassSummary
from grader.model.classroom import HandIn, Student
from grader.model.verdict import Verdict
from tests.unit.grading.made_up import hand_in_of, report_of, run_of, submission_of


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three students: one all right, one with a known mistake, one on whom the grader failed; a fourth waits."""
    path = tmp_path_factory.mktemp("store") / "grades.sqlite"
    with open_store(path, create=True) as opened:
        absent = HandIn(student=Student(id="dora"))
        run = opened.begin_run(run_of(), [*(hand_in_of(name) for name in ("ann", "bob", "carl")), absent])
        for name, verdict in (("ann", Verdict.PASSED), ("bob", Verdict.FAILED), ("carl", Verdict.ERRORED)):
            submission = submission_of(name, name)
            check = run.course.exercises[0].rubric.checks[0]
            opened.keep(run, [name], submission, name, name, report_of(submission, **{check: verdict}))
    return path


def invoke(store: Path, *arguments: object) -> Result:
    """Run the command on the store."""
    return CliRunner().invoke(grade, [*map(str, arguments), "--store", str(store)])


def test_a_summary_is_shown(store: Path) -> None:
    """Everybody is counted, and the mistake is explained in the report's own words."""
    result = invoke(store, "summary")

    assert 0 == result.exit_code, result.output
    assert "4 students: 2 graded, 1 without a grade, because the grader failed, 1 not graded yet." in " ".join(
        result.output.split()
    )
    assert "double: x" in result.output


def test_a_summary_is_written_as_a_page_and_as_json(store: Path, tmp_path: Path) -> None:
    """The JSON follows the schema that `grade schema summary` prints."""
    result = invoke(store, "summary", "--output", tmp_path / "class.html", "--json")

    assert 0 == result.exit_code, result.output
    assert 4 == ClassSummary.model_validate_json(result.stdout).students
    assert (tmp_path / "class.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_table_is_exported(store: Path, tmp_path: Path) -> None:
    """Who has no grade is there without points."""
    result = invoke(store, "export", "--format", "csv", "--output", tmp_path / "g.csv")

    assert 0 == result.exit_code, result.output
    with open(tmp_path / "g.csv", encoding="utf-8-sig", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert {"ann": "graded", "bob": "graded", "carl": "errored", "dora": "waiting"} == {
        name: row["status"] for name, row in rows.items()
    }
    assert "" == rows["carl"]["final"] == rows["dora"]["final"]
    assert float(rows["bob"]["final"]) < float(rows["ann"]["final"]) == float(rows["ann"]["max"])


@pytest.mark.parametrize("output_format", ["canvas", "moodle"])
def test_a_gradebook_gets_the_grades_and_the_rest_is_named(store: Path, tmp_path: Path, output_format: str) -> None:
    """The grader's own fault and what still waits are no zeros."""
    result = invoke(store, "export", "--format", output_format, "--output", tmp_path / "g.csv", "--title", "Attention")

    assert 0 == result.exit_code, result.output
    text = (tmp_path / "g.csv").read_text("utf-8-sig")
    assert "ann" in text
    assert "carl" not in text
    assert "Left out: carl: no grade (errored)." in result.output
    assert "Left out: dora: no grade (waiting)." in result.output
    assert "2 grades." in result.output


def test_gradescope_gets_a_file_for_each_student(store: Path, tmp_path: Path) -> None:
    """In folders of the students' names."""
    result = invoke(store, "export", "--format", "gradescope", "--output", tmp_path)

    assert 0 == result.exit_code, result.output
    assert {"ann", "bob"} == {path.name for path in tmp_path.iterdir()}
    assert json.loads((tmp_path / "ann" / "results.json").read_text())["score"] > 0


def test_a_file_that_is_not_the_platforms_is_wrong_usage(store: Path, tmp_path: Path) -> None:
    """With its name, what was expected and what to do."""
    (tmp_path / "x.csv").write_text("a,b\n")
    command = ("export", "--format", "canvas", "--output", tmp_path / "y", "--into", tmp_path / "x.csv")

    result = invoke(store, *command)

    assert 2 == result.exit_code
    assert "this is no gradebook of Canvas" in " ".join(result.output.split())
    assert not (tmp_path / "y").exists()


def test_a_file_of_a_spreadsheet_is_wrong_usage(store: Path, tmp_path: Path) -> None:
    """A code page would spoil names."""
    (tmp_path / "x.csv").write_bytes("Student,ID,Section\nÁ".encode("latin-1"))

    result = invoke(store, "export", "--format", "moodle", "--output", tmp_path / "y", "--into", tmp_path / "x.csv")

    assert 2 == result.exit_code
    assert "is not UTF-8. Download it again" in " ".join(result.output.split())


def test_into_goes_with_platforms_alone(store: Path, tmp_path: Path) -> None:
    """A table of our own has nothing to be filled in."""
    (tmp_path / "x.csv").write_text("")

    result = invoke(store, "export", "--format", "csv", "--output", tmp_path / "y", "--into", tmp_path / "x.csv")

    assert 2 == result.exit_code
    assert "--into goes with --format canvas or moodle, not csv." in result.output


@pytest.mark.parametrize("what", ["index", "summary"])
def test_schemas_are_printed(what: str) -> None:
    """For programs that read what is written."""
    assert "properties" in json.loads(CliRunner().invoke(grade, ["schema", what]).output)
