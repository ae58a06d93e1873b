"""grade doctor: what this machine gives, and what would help."""

import sys

import pytest
from click.testing import CliRunner

from grader.cli.doctor import _describe
from grader.cli.main import EXIT_GRADER_FAILED, grade, main


def facts(level: str, *missing: str) -> dict:
    """What a probe tells of a machine."""
    worker = {"start_method": "fork", "ms": 4.0, "level": level, "layers": ["session", "limits"], "missing": missing}
    return {"torch": "2", "cores": 2, "accelerator": "cpu", "pretend": "", "root": False, "workers": [worker]}


def test_windows_is_sent_to_wsl2(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything that Windows lacks is imported."""
    monkeypatch.setattr(sys, "platform", "win32")

    result = CliRunner().invoke(grade, ["doctor"])

    assert EXIT_GRADER_FAILED == result.exit_code
    assert "WSL2" in result.output


@pytest.mark.parametrize(
    ("level", "sentence"),
    [
        ("basic", "can read the files that you can read"),
        ("basic", "For strong isolation use Linux 5.13 or later with Landlock"),
        ("process", "runs in a process of its own with a time limit, and that is all"),
        ("process", "Grade only code here that you would run anyway"),
    ],
)
def test_less_than_strong_says_what_is_open_and_what_would_help(level: str, sentence: str) -> None:
    """In words, with the layer that is missing and why."""
    text = "\n".join(_describe(facts(level, "landlock: only Linux has it")))

    assert sentence in text
    assert "missing: landlock: only Linux has it" in text
    assert "in force: session, limits" in text


def test_strong_isolation_is_told_without_advice() -> None:
    """Nothing is to be done."""
    text = "\n".join(_describe(facts("strong")))

    assert "cannot read other files" in text
    assert "For strong isolation" not in text


def test_on_windows_every_command_that_cannot_run_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is missing there is no fault of the kit's."""

    def needs_unix() -> None:
        raise ModuleNotFoundError("No module named 'fcntl'", name="fcntl")

    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr("grader.cli.main.grade", needs_unix)

    with pytest.raises(SystemExit) as ended:
        main()

    assert 3 == ended.value.code
    assert "Windows: native Python cannot run the grader. Install it inside WSL2" in capsys.readouterr().err
