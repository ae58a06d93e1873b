"""`grade course check`: what an author of exercises types."""

from pathlib import Path

from click.testing import CliRunner

from grader.cli.main import grade
from tests.conftest import MINI_COURSE, QUIZ_COURSE


def test_a_proof_can_be_written_as_a_page(tmp_path: Path) -> None:
    """The page is of this very run; a sound course exits with 0."""
    page = tmp_path / "proof.md"
    command = [
        "course",
        "check",
        "--course",
        str(MINI_COURSE),
        "--only",
        "double",
        "--seeds",
        "2",
        "--write",
        str(page),
    ]

    result = CliRunner().invoke(grade, command)

    assert 0 == result.exit_code, result.output
    assert f"Written to {page}." in result.output.replace("\n", "")
    assert "| double | 4 | 1 of 1 | 4 of 4 |" in page.read_text("utf-8")
    assert "right code was graded on 2 seeds, wrong code on 1 seed." in page.read_text("utf-8")


def test_a_page_that_cannot_be_written_is_wrong_usage(tmp_path: Path) -> None:
    """Said before minutes of grading, not after them."""
    page = tmp_path / "no such folder" / "proof.md"

    result = CliRunner().invoke(grade, ["course", "check", "--course", str(MINI_COURSE), "--write", str(page)])

    assert 2 == result.exit_code
    assert "no such folder" in result.output


def test_right_answers_are_printed_as_a_learner_would_hand_them_in() -> None:
    """And are what the solutions of a course hold."""
    result = CliRunner().invoke(grade, ["course", "answers", "halve", "--course", str(QUIZ_COURSE)])

    assert 0 == result.exit_code
    assert (QUIZ_COURSE / "solutions" / "halve.yaml").read_text("utf-8") == result.output


def test_an_exercise_without_questions_has_no_answers() -> None:
    """Wrong usage, in one line."""
    result = CliRunner().invoke(grade, ["course", "answers", "double", "--course", str(MINI_COURSE)])

    assert 2 == result.exit_code
    assert "double asks no questions" in result.output
