"""What somebody handed in, as text: the only form in which learners' code enters the trusted side."""

import hashlib
from enum import StrEnum

from pydantic import Field

from grader.model.base import Model


class FileKind(StrEnum):
    """How a file's cells are run."""

    MODULE = "module"
    """One cell; an exception in it ends the import, as in Python."""
    NOTEBOOK = "notebook"
    """Many cells; one that fails does not stop the later ones."""


class Cell(Model):
    """One piece of source that is compiled as a unit."""

    text: str
    label: str = ""
    """How a traceback names the cell, such as ``cell 3``; empty for a module."""


class SourceFile(Model):
    """One file of learner's code."""

    path: str
    """Relative to the submission's root, with forward slashes: ``attention/heads.py``."""
    kind: FileKind = FileKind.MODULE
    cells: tuple[Cell, ...]
    encoding: str = "utf-8"
    """How the bytes were read; worth a word to the learner when it is not UTF-8."""

    @property
    def text(self) -> str:
        """The whole source, cells one after another."""
        return "\n".join(cell.text for cell in self.cells)


class AnswersFile(Model):
    """What somebody predicted: the text of ``ID.yaml``, which is read as data and never run."""

    path: str
    """Relative to the submission's root."""
    text: str


class Flag(Model):
    """Something that a person should look at. A flag never changes a score."""

    id: str
    """A stable word such as ``shadows_module``."""
    message: str
    """One sentence: what was found, and where."""


class Unreadable(Model):
    """A file that was handed in but cannot be used."""

    path: str
    reason: str
    """One line: what was expected, what was found and what to do."""


class Submission(Model):
    """All that one person handed in."""

    id: str
    """The file or folder name, or the student's id in a class."""
    files: tuple[SourceFile, ...] = ()
    answers: tuple[AnswersFile, ...] = ()
    """Predictions, for exercises that ask for some; the one that counts comes first."""
    unreadable: tuple[Unreadable, ...] = ()
    notes: tuple[str, ...] = ()
    """What intake did that the learner may want to know, such as an encoding that was guessed."""
    flags: tuple[Flag, ...] = ()

    @property
    def sha256(self) -> str:
        """Digest of what decides the grade: paths, sources and answers."""
        digest = hashlib.sha256()
        for file in sorted(self.files, key=lambda file: file.path):
            for part in (file.path, file.kind.value, *(f"{cell.label}\0{cell.text}" for cell in file.cells)):
                encoded = part.encode("utf-8", "surrogatepass")
                digest.update(len(encoded).to_bytes(8, "little") + encoded)
        for answers in self.answers:
            for part in (answers.path, answers.text):
                encoded = part.encode("utf-8", "surrogatepass")
                digest.update(len(encoded).to_bytes(8, "little") + encoded)
        return digest.hexdigest()

    def answers_for(self, exercise: str) -> AnswersFile | None:
        """Return what was predicted for an exercise."""
        named = {file.path.rpartition("/")[2].rpartition(".")[0]: file for file in reversed(self.answers)}
        return named.get(exercise)


class LearnerFrame(Model):
    """One line of the learner's own code in a traceback."""

    file: str
    """Path in the submission, with the cell for a notebook: ``attention.ipynb, cell 3``."""
    line: int = Field(ge=0)
    function: str
    source: str = ""
    """The line itself, stripped."""


class Entry(Model):
    """Which file of a submission an exercise's promised names come from."""

    exercise: str
    path: str | None
    """None: no file provides them."""
    note: str = ""
    """What the learner should know about the choice, or why nothing was found."""
