"""``grade nbgrader`` and ``grade batch --nbgrader``, with the real nbgrader on a small class."""

import ast
import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli.main import grade
from grader.course.trees import builtin_course
from tests.cli.nbgrader_class import ASSIGNMENT, EXPECTED, FULL, MERGE, NAME, UNREADABLE, gradebook, make_class, run
from tests.conftest import MINI_COURSE

pytest.importorskip("nbgrader", reason="the extra nbgrader is not installed")

BATCH = ("grade", "batch", "--nbgrader", ".", "--assignment", ASSIGNMENT)
DOCS = Path(__file__).parents[2] / "docs" / "nbgrader.md"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with the exercise heads, released, and a class that handed in."""
    course = tmp_path_factory.mktemp("course")
    run(course, "grade", "nbgrader", "source", ".", "--only", "heads")
    run(course, "nbgrader", "generate_assignment", ASSIGNMENT)
    make_class(course)
    return course


@pytest.fixture(scope="module")
def batch(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class, graded with `grade batch --nbgrader`."""
    course = tmp_path_factory.mktemp("batch") / "course"
    shutil.copytree(released, course, symlinks=True)
    (course / "said").write_text(run(course, *BATCH))
    return course


def scores(course: Path) -> dict[str, float]:
    """What the gradebook says of each student."""
    with gradebook(course) as opened:
        return {each.student.id: each.score for each in opened.assignment_submissions(ASSIGNMENT)}


def test_the_source_is_the_same_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook under version control changes only when the course does; and a configuration is its owner's."""
    monkeypatch.chdir(tmp_path)
    written = []
    for _ in range(2):
        result = CliRunner().invoke(grade, ["nbgrader", "source", "."], catch_exceptions=False)
        assert 0 == result.exit_code
        written.append((tmp_path / "source" / ASSIGNMENT / NAME).read_bytes())
        (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")

    assert written[0] == written[1]
    assert "c = get_config()\n" == (tmp_path / "nbgrader_config.py").read_text()
    assert "nbgrader_config.py is yours and stays as it is" in result.output
    assert "configure(c)" in result.output


def test_what_is_released_is_the_stub(released: Path) -> None:
    """Nothing of a solution is handed out, and nothing of the stub is lost but the name in its exception."""
    cells = json.loads((released / "release" / ASSIGNMENT / NAME).read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["metadata"]["nbgrader"]["grade_id"].startswith("heads--")]
    stub = ast.parse(builtin_course().stub("heads").read_text("utf-8"))
    definitions = [node for node in stub.body if isinstance(node, ast.FunctionDef)]

    assert [_plain(ast.unparse(node)) for node in definitions] == [_plain(ast.unparse(ast.parse(one))) for one in code]


def _plain(code: str) -> str:
    return re.sub(r"NotImplementedError\(.*\)", "NotImplementedError()", code)


def test_the_source_validates(released: Path) -> None:
    """In a kernel the solutions get full points, cell by cell."""
    said = run(released, "nbgrader", "validate", f"source/{ASSIGNMENT}/{NAME}")

    assert "Success! Your notebook passes all the tests." in said


def test_batch_writes_every_score(batch: Path) -> None:
    """Whatever was handed in, and although nothing of it ran in a kernel."""
    assert {**EXPECTED, **dict.fromkeys(UNREADABLE, 0.0)} == scores(batch)


def test_batch_says_what_is_odd_about_whom(batch: Path) -> None:
    """A teacher should not have to look for it."""
    said = (batch / "said").read_text()

    assert re.search(r"gus: the cells heads--split_heads, .* and \d+ more are there twice; the last ones count\n", said)
    assert "hal: the cells heads-split and heads-merge were missing; they were put back\n" in said
    assert re.search(r"ida: the points of heads-split, .* were changed in the notebook; those of the gradebook", said)
    assert f"jo: {NAME}: it is a link, and links are not followed" in said
    assert f"kim: {NAME}: it is no whole notebook" in said
    assert f"lee: {NAME}: " in said
    assert f"Wrote {len(EXPECTED) + len(UNREADABLE)} students into" in said


def test_batch_writes_feedback_for_everybody(batch: Path) -> None:
    """Each page shows what to fix."""
    pages = {student: batch / "feedback" / student / ASSIGNMENT / "attention.html" for student in EXPECTED}

    assert all(page.is_file() for page in pages.values())
    assert "Each token gets its parts back" in pages["bob"].read_text()


def test_manual_scores_and_comments_survive_a_second_run(batch: Path) -> None:
    """What a person decided in formgrader is the person's."""
    with gradebook(batch) as opened:
        grade_of_bob = opened.find_grade("heads-merge", "attention", ASSIGNMENT, "bob")
        grade_of_bob.manual_score = 1.5
        grade_of_bob.needs_manual_grade = False
        opened.find_comment("heads--merge_heads", "attention", ASSIGNMENT, "bob").manual_comment = "Nearly!"
        opened.db.commit()

    run(batch, *BATCH, "--student", "bob")

    with gradebook(batch) as opened:
        kept = opened.find_grade("heads-merge", "attention", ASSIGNMENT, "bob")
        comment = opened.find_comment("heads--merge_heads", "attention", ASSIGNMENT, "bob")
        assert (0.0, 1.5, False) == (kept.auto_score, kept.manual_score, kept.needs_manual_grade)
        assert "Nearly!" == comment.comment
        kept.manual_score = None
        opened.db.commit()


def test_a_roster_with_other_ids_books_nothing_under_strangers(batch: Path) -> None:
    """The gradebook keeps to nbgrader's ids, and gets the names."""
    (batch / "roster.csv").write_text("id,name,email\n0042,Bob Roe,bob@uni.test\n")
    before = scores(batch)

    said = run(batch, *BATCH, "--roster", "roster.csv", "--student", "0042")

    assert before == scores(batch)
    assert "no such notebook" not in said
    assert "Not on the roster: O'Neil, Pat, ann, blank," in said
    with gradebook(batch) as opened:
        assert "Roe" == opened.find_student("bob").last_name
        assert "0042" not in {student.id for student in opened.students}


def test_nbgrader_exports_what_batch_wrote(batch: Path) -> None:
    """From there on nbgrader works as ever."""
    run(batch, "nbgrader", "export")

    with (batch / "grades.csv").open() as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert str(FULL) == rows["O'Neil, Pat"]["score"]
    assert {str(FULL)} == {row["max_score"] for row in rows.values()}


def test_autograde_gives_the_same_points_and_feedback(released: Path, tmp_path: Path) -> None:
    """`nbgrader autograde` alone, with the configuration that was written: also for what crashes, loops or attacks."""
    course = tmp_path / "course"
    shutil.copytree(released, course, symlinks=True)
    for student in UNREADABLE:  # nbgrader itself stops at these
        shutil.rmtree(course / "submitted" / student)

    run(course, "nbgrader", "autograde", ASSIGNMENT)
    run(course, "nbgrader", "generate_feedback", ASSIGNMENT, "--force")

    assert EXPECTED == scores(course)
    page = (course / "feedback" / "bob" / ASSIGNMENT / "attention.html").read_text()
    assert f"0 of {MERGE:g} points: Each token gets its parts back" in page


@pytest.mark.parametrize("student", ["ann", "bob", "fay"])
def test_grade_check_agrees(released: Path, tmp_path: Path, student: str) -> None:
    """A learner's own check says what the gradebook will say."""
    path, report = released / "submitted" / student / ASSIGNMENT / NAME, tmp_path / "report.json"

    arguments = (str(path), "--only", "heads", "--format", "json", "--output", str(report))
    run(released, "grade", "check", *arguments, ok=False)

    assert EXPECTED[student] == json.loads(report.read_text())["score"]


def test_without_nbgrader_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The core install stays light."""
    monkeypatch.setitem(sys.modules, "nbgrader", None)
    monkeypatch.setitem(sys.modules, "nbgrader.api", None)

    for command in (["nbgrader", "source", str(tmp_path)], ["batch", "--nbgrader", str(tmp_path), "--assignment", "a"]):
        result = CliRunner().invoke(grade, command)

        assert 3 == result.exit_code
        assert 1 == len(result.output.strip().splitlines())
        assert f"{sys.executable} -m pip install 'nbgrader" in result.output


_WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"nbgrader", "nbconvert", "jupyter_client", "jupyter_core", "jupyterlab", "ipykernel"}:
            raise ModuleNotFoundError(f"No module named {name!r}")
sys.meta_path.insert(0, Missing())
from grader.cli.main import main
main()
"""


def test_without_the_extra_everything_else_works(tmp_path: Path) -> None:
    """nbgrader and all of Jupyter are three times as large as what they are added to."""

    def grade_without(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", _WITHOUT, *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    cells = [{"cell_type": "code", "metadata": {}, "source": (MINI_COURSE / "solutions/double.py").read_text()}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (tmp_path / "class" / "ann").mkdir(parents=True)
    (tmp_path / "class" / "ann" / "double.ipynb").write_text(json.dumps(notebook))
    course = ["--course", str(MINI_COURSE), "--only", "double"]

    checked = grade_without("check", "class/ann/double.ipynb", *course)
    graded = grade_without("batch", "class", *course)
    refused = grade_without("nbgrader", "source", ".")

    assert 0 == checked.returncode, checked.stderr
    assert 0 == graded.returncode, graded.stderr
    assert 3 == refused.returncode
    assert 1 == len(refused.stderr.strip().splitlines())
    assert "-m pip install 'nbgrader" in refused.stderr


def test_an_assignment_that_was_not_generated_is_named(tmp_path: Path) -> None:
    """With the command that is missing."""
    result = CliRunner().invoke(grade, ["batch", "--nbgrader", str(tmp_path), "--assignment", "ps9"])

    assert 3 == result.exit_code
    assert "nbgrader knows no assignment 'ps9' (it has: none)" in result.output
    assert "nbgrader generate_assignment ps9" in result.output


def test_every_command_of_the_walk_through_is_run_here() -> None:
    """A walk-through that nobody has walked leads astray."""
    commands = {
        re.sub(r"\s+#.*", "", line)
        for block in re.findall(r"```sh\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
        for line in block.splitlines()
        if line.startswith(("nbgrader", "grade"))
    }

    assert commands == {
        "grade nbgrader source .",
        f"nbgrader generate_assignment {ASSIGNMENT}",
        f"nbgrader validate source/{ASSIGNMENT}/{NAME}",
        f"nbgrader autograde {ASSIGNMENT}",
        f"grade batch --nbgrader . --assignment {ASSIGNMENT}",
        f"nbgrader generate_feedback {ASSIGNMENT} --force",
        "nbgrader export",
    }
