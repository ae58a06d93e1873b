"""Whatever somebody's code does, each picture is drawn or gets a line that says why not."""

import base64
import shutil
from pathlib import Path

import pytest

from grader.course.load import load_course, load_pictures
from grader.course.trees import CourseTrees
from grader.grading.client import Runner
from grader.grading.messages import RunnerSettings, ShowJob
from grader.model.errors import CourseError
from grader.model.picture import DrawnPicture, PictureForm
from grader.model.submission import Cell, Entry, SourceFile, Submission
from tests.conftest import MINI_COURSE

RIGHT = "def double(x, times):\n    return x * 2**times\n"


def job(code: str, form: PictureForm = "svg", **more: str) -> ShowJob:
    """Drawing this code for the miniature course's first exercise."""
    submission = Submission(id="x", files=(SourceFile(path="double.py", cells=(Cell(text=code),)),))
    return ShowJob(submission=submission, entries=(Entry(exercise="double", path="double.py"),), form=form, **more)


def problems(runner: Runner, code: str) -> list[str]:
    """Why the pictures of this code are not drawn."""
    return [picture.problem for picture in runner.show(job(code))]


def test_right_code_is_drawn(mini_runner: Runner) -> None:
    """All pictures in the order of their file, with forked and with spawned workers."""
    drawn = mini_runner.show(job(RIGHT))

    assert ["growth", "table"] == [picture.claim.name for picture in drawn]
    assert ["How your numbers grow", "A table, doubled"] == [picture.claim.title for picture in drawn]
    assert all(picture.image.startswith("<?xml") and not picture.problem for picture in drawn)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ((MINI_COURSE / "exercises/double.py").read_text("utf-8"), "`double` is still to be written."),
        ("def double(x, times):\n    return x[7]\n", "Your code raised IndexError at double.py, line 2."),
        ("def double(x, times):\n    return 3\n", "double should be a tensor, but is a value of type int."),
        ("def double(x, times):\n    import os\n    os._exit(3)\n", "ended by itself"),
        ("def double(x, times):\n    while True: pass\n", "`double` did not finish within 2 s: look for a loop"),
        ("import nothing_of_this_name\n", "double.py could not be imported"),
        ("other = 3\n", "`double` is not there."),
    ],
    ids=["todo", "raises", "no tensor", "exits", "loops", "import", "missing"],
)
def test_code_that_is_not_done_is_told_in_a_line(fork_runner: Runner, code: str, expected: str) -> None:
    """In the words of a report, and never as a traceback."""
    found = problems(fork_runner, code)

    assert expected in found[0]
    assert all(problem and "\n" not in problem for problem in found)


def test_one_picture_may_fail_and_the_next_be_drawn(fork_runner: Runner) -> None:
    """Each one is asked for with code that has not been called yet."""
    code = "def double(x, times):\n    if x.dim() == 1:\n        import os\n        os._exit(3)\n    return x * 2\n"

    first, second = fork_runner.show(job(code))

    assert first.problem
    assert second.image


def test_an_exercise_that_no_file_provides_is_told_with_the_reason(fork_runner: Runner) -> None:
    """As for each of its checks."""
    entry = Entry(exercise="double", path=None, note="No file provides double.")

    drawn = fork_runner.show(job(RIGHT).model_copy(update={"entries": (entry,)}))

    assert ["No file provides double."] * 2 == [picture.problem for picture in drawn]


def test_an_exercise_without_pictures_has_none(fork_runner: Runner) -> None:
    """It is no fault of anybody's."""
    entry = Entry(exercise="layer", path="double.py")

    assert () == fork_runner.show(job(RIGHT).model_copy(update={"entries": (entry,)}))


@pytest.mark.parametrize("value", ["inf", "nan", "1e300", "-1e38", "0.0"])
def test_numbers_of_any_size_are_drawn_or_told(fork_runner: Runner, value: str) -> None:
    """Nothing that code returns ends the process that draws."""
    for picture in fork_runner.show(job(f"def double(x, times):\n    return x * 0 + float('{value}')\n")):
        assert bool(picture.image) != bool(picture.problem)
        assert len(picture.image) < 600_000


@pytest.mark.parametrize(
    ("form", "begins"), [("svg", "<?xml"), ("page", "<?xml"), ("png", "iVBOR"), ("terminal", "value\no your code")]
)
def test_pictures_come_in_several_forms(fork_runner: Runner, form: PictureForm, begins: str) -> None:
    """A file of two kinds, a part of a page, and lines for a terminal."""
    (picture,) = fork_runner.show(job(RIGHT, form, only="growth"))

    assert picture.image.startswith(begins)
    assert ("#010101" in picture.image) == (form == "page")
    if form == "png":
        assert base64.b64decode(picture.image).startswith(b"\x89PNG")


@pytest.fixture
def copy(tmp_path: Path) -> CourseTrees:
    """A copy of the miniature course, to change."""
    ignored = shutil.ignore_patterns("__pycache__")
    return CourseTrees(Path(shutil.copytree(MINI_COURSE, tmp_path / "course", ignore=ignored)))


def test_what_is_drawn_is_cleared_of_what_no_svg_may_hold(copy: CourseTrees) -> None:
    """Texts may come from somebody's code: control characters go, markup and formulas stay text."""
    copy.pictures("double").write_text(
        "def picture_text(learner, suite, figure):\n"
        '    """A text."""\n'
        "    assert suite.test_doubles\n"
        "    figure.subplots().set_title('a\\x07b <script> $\\\\\\\\frac$')\n"
    )

    with Runner(RunnerSettings(course=str(copy.root), only=("double",))) as runner:
        (picture,) = runner.show(job(RIGHT))

    assert "ab &lt;script&gt; $" in picture.image, picture.problem


def test_a_file_of_pictures_that_cannot_be_loaded_is_the_course_s_fault(copy: CourseTrees) -> None:
    """Its author is told which one, and why."""
    copy.pictures("double").write_text('def picture_a(figure):\n    """A."""\n\nimport nothing_of_this_name\n')

    with (
        Runner(RunnerSettings(course=str(copy.root), only=("double",))) as runner,
        pytest.raises(CourseError, match=r"pictures/double.py cannot be loaded: ModuleNotFoundError"),
    ):
        runner.show(job(RIGHT))


def test_a_picture_says_what_it_shows(copy: CourseTrees) -> None:
    """The first line of its docstring is its title; without one it is refused."""
    copy.pictures("double").write_text("x = 1\n\ndef picture_a(figure):\n    pass\n")

    with pytest.raises(CourseError, match=r"pictures/double.py: line 3: picture_a has no docstring"):
        load_pictures(copy, "double")


def test_pictures_change_no_grade(copy: CourseTrees) -> None:
    """A class's results stay those of this course when one is mended."""
    before = load_course(copy).digest
    copy.pictures("double").write_text("")

    assert before == load_course(copy).digest


def test_a_drawn_picture_survives_the_way_between_processes() -> None:
    """It is one line of JSON."""
    (claim, _) = load_pictures(CourseTrees(MINI_COURSE), "double")
    picture = DrawnPicture(exercise="double", claim=claim, image='<svg a="é\n">')

    assert picture == DrawnPicture.model_validate_json(picture.model_dump_json())
