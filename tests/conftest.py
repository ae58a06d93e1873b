"""What several tests need: the miniature course, and a runner that grades its submissions."""

from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from grader.course.load import load_course
from grader.course.trees import CourseTrees, builtin_course
from grader.grading.client import Runner
from grader.grading.messages import Graded, Job, RunnerSettings
from grader.model.course import Course
from grader.model.report import ScoreReport
from grader.model.submission import Cell, Entry, FileKind, SourceFile, Submission
from tests.postgresql import postgresql_server

__all__ = ["postgresql_server"]  # a fixture for all

# No test asserts a time: on a busy machine one example may take a second.
hypothesis.settings.register_profile("any_machine", deadline=None)
hypothesis.settings.load_profile("any_machine")

MINI_COURSE = Path(__file__).parent / "mini_course"
QUIZ_COURSE = Path(__file__).parent / "quiz_course"

GradeMini = Callable[..., ScoreReport]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the proofs of the course: at the end one process would be busy with a long one, the others done."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/test_course.py"))


@pytest.fixture(scope="session")
def mini_trees() -> CourseTrees:
    """The files of a course that has nothing to do with attention."""
    return CourseTrees(MINI_COURSE)


@pytest.fixture(scope="session")
def mini_course(mini_trees: CourseTrees) -> Course:
    """The miniature course, loaded."""
    return load_course(mini_trees)


@pytest.fixture(scope="session")
def builtin() -> CourseTrees:
    """The files of the built-in course."""
    return builtin_course()


@pytest.fixture(scope="session", params=["fork", "spawn"])
def mini_runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    """A warm runner of the miniature course: once with forked workers, once with spawned ones."""
    with Runner(RunnerSettings(course=str(MINI_COURSE), start_method=request.param)) as runner:
        yield runner


@pytest.fixture(scope="session")
def fork_runner() -> Iterator[Runner]:
    """A warm runner with forked workers, for tests to which the way of starting does not matter."""
    with Runner(RunnerSettings(course=str(MINI_COURSE))) as runner:
        yield runner


@pytest.fixture
def grade_mini(mini_runner: Runner) -> GradeMini:
    """Grade sources on the miniature course, with both ways of starting workers."""
    return _grader(mini_runner)


@pytest.fixture
def grade_forked(fork_runner: Runner) -> GradeMini:
    """Grade sources on the miniature course with forked workers."""
    return _grader(fork_runner)


def _grader(runner: Runner) -> GradeMini:
    def grade(
        sources: dict[str, str] | str,
        exercises: tuple[str, ...] = ("double",),
        *,
        seed: int = 1,
        fail_fast: bool = False,
    ) -> ScoreReport:
        """Grade files by path, or the text of double.py. Exercises are in files of their names, or in the only one."""
        texts = {"double.py": sources} if isinstance(sources, str) else sources
        files = tuple(SourceFile(path=path, cells=(Cell(text=text),)) for path, text in texts.items())
        only = next(iter(texts)) if len(texts) == 1 else None
        entries = tuple(Entry(exercise=name, path=only or f"{name}.py") for name in exercises)
        job = Job(submission=Submission(id="test", files=files), entries=entries, seed=seed, fail_fast=fail_fast)
        *_, last = runner.grade(job)
        assert isinstance(last, Graded)
        return last.report

    return grade


def notebook(path: str, *cells: str) -> SourceFile:
    """A notebook with these code cells."""
    numbered = tuple(Cell(label=f"cell {number}", text=text) for number, text in enumerate(cells, start=1))
    return SourceFile(path=path, kind=FileKind.NOTEBOOK, cells=numbered)
