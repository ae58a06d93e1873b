"""``grade batch`` as an instructor types it: everybody graded, nothing twice, and nothing lost when it is killed."""

import json
import os
import random
import shutil
import signal
import time
from pathlib import Path
from typing import NamedTuple
from unittest.mock import MagicMock

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from grader.cli.main import grade
from grader.grading.engine import LocalEngine
from grader.grading.messages import Job
from grader.grading.store import Status, StoreError, open_store
from grader.model.errors import RunnerError
from grader.model.report import ScoreReport
from tests.cli import storm
from tests.conftest import MINI_COURSE
from tests.postgresql import new_database
from tests.unit.grading.made_up import report_of


class Class(NamedTuple):
    """A class that was graded once."""

    source: Path
    store: Path
    output: Path
    roster: Path
    result: Result


def batch(*arguments: object) -> Result:
    """Type ``grade batch`` for the miniature course."""
    typed = ["batch", *map(str, arguments), "--course", str(MINI_COURSE)]
    return CliRunner().invoke(grade, typed)


def options(graded: Class) -> list[object]:
    """Those that every run of a class gets."""
    places = ["--store", graded.store, "--output", graded.output, "--roster", graded.roster]
    return [graded.source, *places, "--seed", storm.SEED, "--jobs", 2]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """Eight who handed in something, one who handed in the same as another, and one who handed in nothing."""
    root = tmp_path_factory.mktemp("class")
    source = storm.make_class(root / "class", 8)
    shutil.copytree(source / "s00000", source / "twin")
    (source / "stray.txt").write_text("nobody's")
    roster = root / "roster.csv"
    roster.write_text(
        "id,name\n" + "".join(f"s{number:05},N {number}\n" for number in range(8)) + "absent,A B\ntwin,T\n"
    )
    made = Class(
        source, root / "grades.sqlite", root / "graded", roster, Result(CliRunner(), b"", b"", b"", None, 0, None)
    )
    return made._replace(result=batch(*options(made)))


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Reports that nothing was run for, full marks each, and whom they were asked for: where only keeping matters."""
    asked: list[str] = []

    def run(engine: LocalEngine, runner: object, job: Job) -> ScoreReport:
        asked.append(job.submission.id)
        return report_of(job.submission)

    monkeypatch.setattr(LocalEngine, "_run", run)
    monkeypatch.setattr("grader.grading.engine.Runner", MagicMock())
    return asked


def test_everybody_has_a_grade(graded: Class) -> None:
    """Whatever was handed in; nothing handed in is a zero that says so."""
    assert 0 == graded.result.exit_code, graded.result.output
    with open_store(graded.store) as store:
        found = {result.student.id: result for result in store.results(store.run())}

    assert ["absent", *(f"s{number:05}" for number in range(8)), "twin"] == list(found)
    assert all(result.status is Status.GRADED for result in found.values())
    assert [0, 7, 0, 2, 3, 0, 0, 3] == [found[name].grade.final for name in list(found)[:8]]
    assert found["absent"].report().exercises[0].checks[0].rationale == "Nothing was handed in."
    assert found["twin"].content == found["s00000"].content


def test_files_go_out(graded: Class) -> None:
    """Reports, the table and an index."""
    index = json.loads((graded.output / "index.json").read_text("utf-8"))

    assert {"graded": 9, "not_submitted": 1} == index["counts"]
    assert (graded.output / "students" / "s00000" / "report.html").is_file()
    assert (graded.output / "grades.csv").is_file()
    assert "10 of 10 graded" in graded.result.output


def test_what_is_graded_is_not_graded_again(graded: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is new runs."""
    monkeypatch.setattr(LocalEngine, "grade", None)  # whoever asked it would fail

    result = batch(*options(graded))

    assert 0 == result.exit_code, result.output
    assert "10 of 10 graded" in result.output


def test_again_grades_everything_anew_once(graded: Class, made_up: list[str], tmp_path: Path) -> None:
    """Although it is known; who handed in the same shares the new grading as the old one."""
    store = shutil.copy(graded.store, tmp_path / "grades.sqlite")

    result = batch(*options(graded._replace(store=store, output=tmp_path / "out")), "--again")

    assert 0 == result.exit_code, result.output
    assert ["absent", *(f"s{number:05}" for number in range(8))] == sorted(made_up)
    with open_store(store) as opened:
        assert all(found.grade.final == 7 for found in opened.results(opened.run()) if found.handed_in)


def test_a_dry_run_shows_who_was_found_and_grades_nothing(graded: Class, tmp_path: Path) -> None:
    """And what belongs to nobody."""
    result = batch(graded.source, "--roster", graded.roster, "--dry-run", "--store", tmp_path / "none")

    assert 0 == result.exit_code, result.output
    assert "10 students, layout folders; 1 handed in nothing." in result.output
    assert "stray.txt" in result.output
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["--student", "twni"], 2, "nobody in the class has the id 'twni'. Did you mean 'twin'?"),
        (["--only", "duoble"], 2, "'duoble' is no exercise. Did you mean 'double'?"),
        (["--again", "--limit", "2"], 2, "to grade some anew, --again --student ID."),
        (["--layout", "convas"], 2, "there is no layout 'convas'"),
        (["--store", "missing/grades.sqlite"], 3, "missing/grades.sqlite"),
    ],
)
def test_wrong_usage_is_one_line(graded: Class, arguments: list[str], code: int, complaint: str) -> None:
    """Before anything is graded."""
    result = batch(graded.source, "--store", graded.store, *arguments)

    assert code == result.exit_code, result.output
    assert complaint in result.output
    assert "Traceback" not in result.output


def test_a_limit_leaves_the_rest_for_later(graded: Class, made_up: list[str], tmp_path: Path) -> None:
    """The same run goes on with the next ones."""
    store = shutil.copy(graded.store, tmp_path / "grades.sqlite")
    arguments = [*options(graded._replace(store=store, output=tmp_path / "out")), "--only", "double", "--limit", 2]

    first, second = batch(*arguments), batch(*arguments)

    assert "2 of 10 graded" in first.output, first.output
    assert "8 still wait" in first.output
    assert "4 of 10 graded" in second.output
    assert "goes on" in second.output


def test_two_cannot_grade_into_one_store(graded: Class) -> None:
    """The second is told so, and does nothing."""
    from grader.grading.exclusive import exclusive

    with exclusive(str(graded.store)):
        result = batch(*options(graded))

    assert 3 == result.exit_code
    assert f"another process ({os.getpid()}) is grading into it" in result.output


def test_a_class_is_kept_on_a_postgresql_server(
    graded: Class, made_up: list[str], postgresql_server: sa.URL, tmp_path: Path
) -> None:
    """With its URL in place of a file: graded, nothing twice, and written out."""
    with new_database(postgresql_server) as url:
        arguments = [graded.source, "--store", url, "--output", tmp_path / "out", "--roster", graded.roster]
        first, second = batch(*arguments), batch(*arguments)

        assert 0 == first.exit_code, first.output
        assert "10 of 10 graded. Kept in postgresql+psycopg://" in first.output
        assert "10 of 10 graded" in second.output
        assert 9 == len(made_up)
        with open_store(url) as opened:
            assert 10 == opened.count(opened.run())[Status.GRADED]
    assert (tmp_path / "out" / "students" / "twin" / "report.html").is_file()


@pytest.fixture(scope="module")
def in_peace(graded: Class) -> tuple[Path, dict[str, str]]:
    """A class, and the reports of an undisturbed run."""
    reports = storm.reports(graded.store)
    return graded.source, {student: text for student, text in reports.items() if student != "absent"}


def test_ctrl_c_ends_in_order_and_the_command_goes_on(in_peace: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    """Exit code 130, a line how to go on, and the same reports in the end."""
    source, expected = in_peace
    store = tmp_path / "grades.sqlite"
    running = storm.start(source, store)
    while running.poll() is None and not _graded(store):
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGINT)

    said = running.communicate()[0]

    if running.returncode:  # on a fast machine it may just have been done
        assert 130 == running.returncode, said
        assert "Interrupted. Go on with: grade batch" in said
    assert "Traceback" not in said
    last = storm.grade(source, store)
    assert 0 == last.returncode, last.stderr
    assert "goes on" in last.stderr or not running.returncode
    assert expected == storm.reports(store)


def test_killing_anything_at_any_moment_changes_no_report(
    in_peace: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    """Nothing is lost, doubled or half-written."""
    source, expected = in_peace
    store = tmp_path / "grades.sqlite"

    _, said = storm.kill_storm(source, store, kills=6, chance=random.Random(3), longest_s=2.0)

    assert expected == storm.reports(store)
    assert not any("Traceback" in each for each in said)


def _graded(store: Path) -> int:
    try:
        with open_store(store) as opened:
            return opened.count(opened.run())[Status.GRADED]
    except StoreError:  # it is not made yet
        return 0


def test_what_the_grader_failed_at_is_named_and_only_that_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 3, no grade, and the batch went on."""
    source = storm.make_class(tmp_path / "class", 3)
    faulty: list[str] = []

    def run(engine: LocalEngine, runner: object, job: Job) -> ScoreReport:
        if job.submission.id in faulty:
            raise RunnerError("it died")
        return report_of(job.submission)

    monkeypatch.setattr(LocalEngine, "_run", run)
    monkeypatch.setattr("grader.grading.engine.Runner", MagicMock())
    arguments = [source, "--store", tmp_path / "grades.sqlite", "--output", tmp_path / "out"]

    faulty.append("s00001")
    first = batch(*arguments)
    faulty[:] = ["s00000", "s00002"]  # whoever grades these again will fail
    second = batch(*arguments)

    assert 3 == first.exit_code, first.output
    assert "s00001: the grader failed, so there is no grade: it died" in first.output
    assert "Run 1: 2 of 3 graded, 1 errored." in first.output
    assert "(1 errored, 2 graded)" in first.output
    assert 0 == second.exit_code, second.output
    assert "Run 1: 3 of 3 graded." in second.output
