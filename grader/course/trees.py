"""Where the files of a course are: one id names a file in every tree."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.model.errors import CourseError

_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class CourseTrees:
    """The folders of a course below its root."""

    root: Path

    @property
    def settings(self) -> Path:
        """Title, order and policies."""
        return self.root / "rubrics" / "course.yaml"

    @property
    def hidden(self) -> Path:
        """The hidden suites."""
        return self.root / "tests" / "hidden"

    def stub(self, exercise: str) -> Path:
        """What a learner fills in."""
        return self.root / "exercises" / f"{exercise}.py"

    def solution(self, exercise: str) -> Path:
        """The stub plus bodies."""
        return self.root / "solutions" / f"{exercise}.py"

    def answers(self, exercise: str) -> Path:
        """The right answers to an exercise's questions, with numbers of some learner's."""
        return self.root / "solutions" / f"{exercise}.yaml"

    def rubric(self, exercise: str) -> Path:
        """Points, criteria and hints."""
        return self.root / "rubrics" / f"{exercise}.yaml"

    def suite(self, exercise: str) -> Path:
        """The hidden suite."""
        return self.hidden / f"test_{exercise}.py"

    def wheats(self, exercise: str) -> list[Path]:
        """Correct implementations in other forms."""
        return sorted((self.hidden / "wheats" / exercise).glob("*.py"))

    def stand_in(self, exercise: str) -> Path:
        """The wheat that later exercises see in place of the learner's own code."""
        return self.hidden / "wheats" / exercise / "stand_in.py"

    def chaffs(self, exercise: str) -> list[Path]:
        """Wrong implementations, one named mistake each."""
        return sorted((self.hidden / "chaffs" / exercise).glob("*.py"))

    def chaff(self, exercise: str, chaff: str) -> Path:
        """The wrong implementation of this name."""
        return self.hidden / "chaffs" / exercise / f"{chaff}.py"

    def twin(self, chaff: Path) -> Path:
        """The same mistake as a chaff's in another style, which may not exist."""
        return chaff.parent / "twins" / chaff.name

    def mutants(self, exercise: str) -> Path:
        """Mutants of the solution that no check can tell from it, with reasons; the file may not exist."""
        return self.hidden / "mutants" / f"{exercise}.yaml"

    def questions(self, exercise: str) -> Path:
        """The questions that an exercise asks; the file exists where it asks any."""
        return self.hidden / "questions" / f"{exercise}.py"

    def pictures(self, exercise: str) -> Path:
        """What `grade show` draws of the learner's code; the file may not exist."""
        return self.root / "pictures" / f"{exercise}.py"

    def all_pictures(self) -> list[Path]:
        """Every file of pictures. They change no grade."""
        return sorted((self.root / "pictures").glob("*.py"))

    def graded_files(self) -> Iterator[Path]:
        """Every file that can change a grade, in a fixed order."""
        for folder in ("exercises", "rubrics", "solutions", "tests/hidden"):
            for path in sorted((self.root / folder).rglob("*")):
                if path.suffix in (".py", ".yaml") and "__pycache__" not in path.parts:
                    yield path


def builtin_course() -> CourseTrees:
    """Return the course that comes with the kit: inside the installed package, or beside it in a checkout."""
    inside = _PACKAGE / "_course"
    return CourseTrees(inside if inside.is_dir() else _PACKAGE.parent)


def open_course(root: Path | None) -> CourseTrees:
    """Return the trees of the course in ``root``, or of the built-in one; `CourseError` if there is no course."""
    trees = builtin_course() if root is None else CourseTrees(root.resolve())
    if not trees.settings.is_file():
        raise CourseError(
            f"{trees.root} is no course: expected rubrics/course.yaml in it. "
            "Give the folder that holds exercises/, solutions/, rubrics/ and tests/hidden/."
        )
    return trees
