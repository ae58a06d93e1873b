"""grade quiz: predict, then see what the code says."""

import csv
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli.main import grade
from grader.course.answers import AnswerSheet, read_answers, write_answers
from grader.course.questions import load_questions
from grader.course.trees import CourseTrees
from grader.model.errors import SubmissionError
from tests.conftest import MINI_COURSE, QUIZ_COURSE

COURSE = ["--course", str(QUIZ_COURSE)]
QUESTIONS = load_questions(CourseTrees(QUIZ_COURSE), "halve")
SEED = 5
HALF, PARITY = (question.pose(SEED) for question in QUESTIONS)
WHOLE = HALF.numbers["whole"]
SOLUTION = (QUIZ_COURSE / "solutions" / "halve.py").read_text("utf-8")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh workspace with a known seed, which is the current folder."""
    assert 0 == run("init", str(tmp_path / "work"), *COURSE).exit_code
    monkeypatch.chdir(tmp_path / "work")
    answer()
    return tmp_path / "work"


def answer(**answers: str) -> None:
    """Write answers into the current folder."""
    Path("halve.yaml").write_text(write_answers("halve", AnswerSheet(SEED, answers), QUESTIONS), "utf-8")


def sheet() -> AnswerSheet:
    """What is in the file now."""
    return read_answers(Path("halve.yaml").read_text("utf-8"), "halve.yaml", ["half", "parity"])


def run(*arguments: str, typed: str = "") -> Result:
    """Type a command, and then lines."""
    return CliRunner().invoke(grade, list(arguments), input=typed)


def test_init_writes_questions_with_a_seed_of_their_own(tmp_path: Path) -> None:
    """Two workspaces ask about different numbers."""
    texts = []
    for name in ("a", "b"):
        assert "halve.yaml" in run("init", str(tmp_path / name), *COURSE).output
        texts.append((tmp_path / name / "halve.yaml").read_text("utf-8"))

    assert "What is half of" in texts[0]
    assert texts[0] != texts[1]


def test_it_asks_keeps_and_shows_what_the_code_says(workspace: Path) -> None:
    """One question after the other; what cannot be an answer is asked again."""
    (workspace / "halve.py").write_text(SOLUTION)

    result = run("quiz", *COURSE, typed=f"lots\n{2 * WHOLE}\n{PARITY.right}\n")

    assert 0 == result.exit_code, result.output
    assert f"What is half of {WHOLE}?" in result.output
    assert "expected a number such as 8, 0.125, 1/8, sqrt(64) or ln(8), found 'lots'" in result.output
    assert f"✗ You predicted {2 * WHOLE}, and that does not come out." in result.output
    assert f"You doubled {WHOLE}. Which way is half?" in result.output
    assert f"Your code: predicted: {2 * WHOLE}, measured: {WHOLE // 2}." in result.output
    assert "grade quiz --again --only half" in result.output
    assert "✓ Right." in result.output
    assert "2 of 2 questions answered" in result.output
    assert {"half": str(2 * WHOLE), "parity": PARITY.right} == sheet().answers


def test_the_courses_own_code_measures_where_the_learners_is_not_written(workspace: Path) -> None:
    """And it is said."""
    result = run("quiz", "--only", "half", *COURSE, typed=f"{WHOLE}/2\n")

    assert "Measured with the course's own code, because yours is “not begun” here" in " ".join(result.output.split())
    assert f"measured: {WHOLE // 2}" in " ".join(result.output.split())


def test_it_stops_and_goes_on(workspace: Path) -> None:
    """With q, at the end of input, and with Enter, which skips."""
    stopped = run("quiz", *COURSE, typed="q\n")
    skipped = run("quiz", *COURSE, typed=f"\n{PARITY.right}\n")
    rest = run("quiz", *COURSE, typed=f"{WHOLE}/2\n")
    nothing = run("quiz", *COURSE)

    assert "0 of 2 questions answered" in stopped.output
    assert "1 of 2 questions answered" in skipped.output
    assert "Go on with: grade quiz" in skipped.output
    assert "Which is even" not in rest.output
    assert "2 of 2 questions answered" in rest.output
    assert "Everything that you asked for is answered." in nothing.output


def test_again_keeps_the_first_answer_and_draws_other_numbers(workspace: Path) -> None:
    """Of what was wrong, unless a question is named."""
    answer(half=str(WHOLE), parity=str(PARITY.right))
    other = QUESTIONS[0].pose(SEED, 1).numbers["whole"]

    result = run("quiz", "--again", *COURSE, typed=f"{other}/2\n")

    assert WHOLE != other
    assert f"What is half of {other}?" in result.output
    assert f"Answered before, with other numbers: {WHOLE}." in result.output
    assert "✓ Right." in result.output
    assert "Which is even" not in result.output
    assert ({"half": (str(WHOLE),)}, f"{other}/2") == (sheet().earlier, sheet().answers["half"])
    assert "Nothing was answered wrongly." in run("quiz", "--again", *COURSE).output


def test_again_without_an_answer_changes_nothing(workspace: Path) -> None:
    """The old answer stays until there is a new one."""
    answer(half=str(WHOLE))

    run("quiz", "--again", "--only", "half", *COURSE, typed="q\n")

    assert AnswerSheet(SEED, {"half": str(WHOLE)}) == sheet()


def test_list_prints_the_questions_and_asks_nothing(workspace: Path) -> None:
    """As text, for those who write answers with an editor."""
    answer(half="3")

    result = run("quiz", "--list", *COURSE)

    assert Path("halve.yaml").read_text("utf-8") == result.output
    assert "parity" not in run("quiz", "--list", "--only", "half", *COURSE).output


def test_below_full_nothing_is_measured_in_sight(workspace: Path, tmp_path: Path) -> None:
    """The course decides what learners see."""
    shutil.copytree(QUIZ_COURSE, tmp_path / "course")
    settings = tmp_path / "course" / "rubrics" / "course.yaml"
    (workspace / "halve.py").write_text(SOLUTION)
    for level, said in (("hints", f"You doubled {WHOLE}."), ("verdicts", "✗"), ("score", "Noted.")):
        settings.write_text((QUIZ_COURSE / "rubrics" / "course.yaml").read_text("utf-8") + f"feedback: {level}\n")
        answer()
        result = run("quiz", "--only", "half", "--course", str(tmp_path / "course"), typed=f"{2 * WHOLE}\n")
        assert said in result.output
        assert f"{WHOLE // 2}" not in result.output.replace(str(WHOLE), "")


def test_a_spoiled_file_is_one_line_and_stays(workspace: Path) -> None:
    """Wrong usage, and nothing is lost."""
    Path("halve.yaml").write_text("seed: 5\nanswers: [", "utf-8")

    result = run("quiz", *COURSE)

    assert 2 == result.exit_code
    assert "Error: halve.yaml: line 2: this is not YAML" in result.output
    assert "seed: 5\nanswers: [" == Path("halve.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "halv", *COURSE], "'halv' is no question. Did you mean 'half'?"),
        (["--exercise", "halv", *COURSE], "Did you mean 'halve'?"),
        (["--again", "--list", *COURSE], "leave one of them away"),
        (["--course", str(MINI_COURSE)], "this course asks none"),
        (["--exercise", "double", "--course", str(MINI_COURSE)], "double asks no questions"),
    ],
)
def test_wrong_usage_is_one_line(workspace: Path, arguments: list[str], said: str) -> None:
    """With what to do."""
    result = run("quiz", *arguments)

    assert 2 == result.exit_code
    assert said in result.output


def test_reset_keeps_the_answers_as_a_backup(workspace: Path) -> None:
    """And draws other numbers."""
    answer(half="3")

    result = run("reset", "halve", *COURSE)

    (backup,) = workspace.glob("halve.yaml.bak-*")
    assert "half: 3" in backup.read_text("utf-8")
    assert backup.name in result.output
    assert {} == sheet().answers
    assert SEED != sheet().seed


def test_check_takes_an_answers_file_alone(workspace: Path) -> None:
    """As it takes a module alone."""
    answer(half=f"{WHOLE}/2")
    Path("halve.py").unlink()

    result = run("check", "halve.yaml", "--format", "json", *COURSE)

    assert 1 == result.exit_code, result.output
    assert '"score": 2.0' in result.output


def test_the_solution_comes_with_what_is_right_for_the_learners_numbers(workspace: Path) -> None:
    """To read after a pass, or having given up."""
    result = run("solution", "halve", "--give-up", *COURSE)

    assert f"# half: {WHOLE // 2}. Half of {WHOLE} is what makes {WHOLE} twice." in result.output
    assert "What is right with the numbers of halve.yaml" not in run("solution", "halve", *COURSE).output


def test_an_editor_that_saves_meanwhile_loses_nothing(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The quiz stops instead of writing over it."""
    from grader.cli import ask

    def edit_and_answer() -> str:
        Path("halve.yaml").write_text("seed: 5\n# mine\n", "utf-8")
        return "3\n"

    class Typist:
        def readline(self) -> str:
            return edit_and_answer()

        def isatty(self) -> bool:
            return True

    quiz = ask.Quiz(workspace, "halve", QUESTIONS)
    monkeypatch.setattr(ask.sys, "stdin", Typist())

    with pytest.raises(SubmissionError, match="was changed meanwhile"):
        quiz._ask(QUESTIONS[0], "1 of 1", again=False)
    assert "seed: 5\n# mine\n" == Path("halve.yaml").read_text("utf-8")


def test_a_class_is_graded_with_its_predictions(tmp_path: Path) -> None:
    """Each by the numbers of their own file; who copies a file whole has its points, and is told by `similarity`."""
    for student, (seed, typed) in {"ann": (5, f"{WHOLE}/2"), "bob": (6, f"{WHOLE}/2"), "cy": (7, "")}.items():
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        (folder / "halve.py").write_text(SOLUTION)
        text = write_answers("halve", AnswerSheet(seed, {"half": typed} if typed else {}), QUESTIONS)
        (folder / "halve.yaml").write_text(text, "utf-8")
    output = tmp_path / "graded"
    places = ["--store", str(tmp_path / "grades.sqlite"), "--output", str(output), "--require-isolation", "process"]

    result = run("batch", str(tmp_path / "class"), *places, "--seed", "1", *COURSE)

    assert 0 == result.exit_code, result.output
    table = (output / "grades.csv").read_text("utf-8-sig").splitlines()
    assert {"ann": 4, "bob": 2, "cy": 2} == {row["id"]: float(row["final"]) for row in csv.DictReader(table)}
