"""The folder that a learner works in: the stubs, and what was reached so far."""

import os
import secrets
import shlex
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from grader.course.answers import AnswerSheet, write_answers
from grader.course.questions import load_questions
from grader.course.trees import CourseTrees, builtin_course
from grader.model.errors import SubmissionError
from grader.model.progress import Progress
from grader.model.question import Question

STATE_FOLDER = ".attention-dojo"
_README = """# {title}

Each file here is one exercise: read its docstrings, write what they ask for, and run

    grade check

in this folder. The first line says the one thing to fix next.{own}

{exercises}

| when you want to | type |
|---|---|
| grade again on every save | `grade check --watch` |
| grade one exercise | `grade check --only {first}` |
{quiz}| see what you have reached | `grade list` |
| get a hint, one step at a time | `grade hint {first}` |
| start an exercise over (your file is kept as a backup) | `grade reset {first}` |
| read the solution once you have passed | `grade solution {first}` |

You may add helper modules of your own, and work in a notebook that defines the same names. Files may import each
other (`from heads import split_heads`); while one exercise is graded, earlier ones are replaced by versions that work,
so a mistake costs points once.
"""

_OWN_COURSE = """ The course is not the one that
comes with the kit, so type this once in each new terminal:

    export GRADE_COURSE={root}"""


@dataclass(frozen=True)
class Workspace:
    """A learner's folder."""

    folder: Path

    @property
    def _progress_file(self) -> Path:
        return self.folder / STATE_FOLDER / "progress.json"

    def is_one(self, exercises: Sequence[str]) -> bool:
        """Whether the folder holds the kit's own folder, or an exercise's file and is no part of a course."""
        if (self.folder / STATE_FOLDER).is_dir():
            return True
        if (self.folder.resolve().parent / "rubrics" / "course.yaml").is_file():
            return False
        return any((self.folder / f"{exercise}.py").is_file() for exercise in exercises)

    def read_progress(self) -> Progress:
        """Return what was reached; nothing yet where no record can be read."""
        try:
            return Progress.model_validate_json(self._progress_file.read_text("utf-8"))
        except (OSError, ValidationError):
            return Progress()

    def write_progress(self, progress: Progress) -> bool:
        """Keep what was reached; False where the folder cannot be written."""
        try:
            self._progress_file.parent.mkdir(exist_ok=True)
            unfinished = self._progress_file.with_suffix(".new")
            unfinished.write_text(progress.model_dump_json(indent=2) + "\n", "utf-8")
            os.replace(unfinished, self._progress_file)
        except OSError:
            return False
        return True


def make_workspace(
    trees: CourseTrees, folder: Path, title: str, exercises: Sequence[tuple[str, str]]
) -> tuple[list[str], list[str]]:
    """
    Write the stubs and a README into a folder, and overwrite nothing.

    Args:
        trees: The course's files.
        folder: Made if it is not there.
        title: The course's title.
        exercises: Ids and titles in teaching order.

    Returns:
        The names of the files that were written, and of those that were there already and were kept.

    Raises:
        SubmissionError: If the folder cannot be written.
    """
    questions = {name: load_questions(trees, name) for name, _ in exercises}
    table = "\n".join(f"{number}. `{name}.py`: {shown}" for number, (name, shown) in enumerate(exercises, start=1))
    texts = {f"{name}.py": trees.stub(name).read_text("utf-8") for name, _ in exercises}
    texts |= {f"{name}.yaml": fresh_answers(name, asked) for name, asked in questions.items() if asked}
    quiz = "| predict first, then see what the code says | `grade quiz` |\n" if any(questions.values()) else ""
    own = "" if trees == builtin_course() else _OWN_COURSE.format(root=shlex.quote(str(trees.root)))
    texts["README.md"] = _README.format(title=title, exercises=table, first=exercises[0][0], quiz=quiz, own=own)
    written, kept = [], []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            try:
                with (folder / name).open("x", encoding="utf-8", newline="\n") as file:
                    file.write(text)
                written.append(name)
            except FileExistsError:
                kept.append(name)
        (folder / STATE_FOLDER).mkdir(exist_ok=True)
    except OSError as error:
        raise SubmissionError(f"{folder}: cannot be written ({error.strerror}). Choose another folder.") from None
    return written, kept


def fresh_answers(exercise: str, questions: Sequence[Question]) -> str:
    """Return a file of answers with nothing answered, and numbers of its own."""
    return write_answers(exercise, AnswerSheet(secrets.randbelow(10**9)), questions)


def reset_exercise(trees: CourseTrees, folder: Path, exercise: str) -> list[Path]:
    """
    Put an exercise's stub back, and its questions with new numbers.

    Returns:
        The backups of what was there.

    Raises:
        SubmissionError: If the folder cannot be written.
    """
    texts = {f"{exercise}.py": trees.stub(exercise).read_text("utf-8")}
    questions = load_questions(trees, exercise)
    if questions:
        texts[f"{exercise}.yaml"] = fresh_answers(exercise, questions)
    return [backup for name, text in texts.items() if (backup := _replace(folder / name, text))]


def _replace(path: Path, text: str) -> Path | None:
    """Write a file, and return the backup of what was there."""
    backup = None
    try:
        if path.exists():
            stamp = time.strftime("%Y%m%d-%H%M%S")
            number = 0
            backup = path.with_name(f"{path.name}.bak-{stamp}")
            while backup.exists():
                number += 1
                backup = path.with_name(f"{path.name}.bak-{stamp}-{number}")
            shutil.copy2(path, backup)
        path.write_text(text, "utf-8", newline="\n")
    except OSError as error:
        raise SubmissionError(f"{path}: cannot be written ({error.strerror}). Nothing was changed.") from None
    return backup
