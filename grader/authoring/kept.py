"""Keep the proofs of exercises, so that only what has changed is proved again."""

import ast
import hashlib
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from grader import __version__
from grader.authoring.prove import ExerciseProof
from grader.course.trees import CourseTrees
from grader.model.course import Exercise
from grader.model.errors import CourseError

_PROOF = TypeAdapter(ExerciseProof)


@dataclass(frozen=True)
class KeptProofs:
    """
    A folder with one file for each exercise that was proved and found sound.

    A proof holds as long as the files of its exercise, the stand-ins that it is given, torch, the kit's version and
    what was tried are the same, but for words that prove nothing: the rubric's titles, formulas and hints, and comments
    and docstrings of stub and solution. Who changes the kit itself proves everything again, in another folder.

    Args:
        folder: Where they are; made when it is needed.
        trees: The course's files.
        tried: What is tried: seeds and the like, in words.
    """

    folder: Path
    trees: CourseTrees
    tried: str

    def read(self, exercise: Exercise) -> ExerciseProof | None:
        """Return the proof of the exercise as it is now, if there is a whole one."""
        try:
            return _PROOF.validate_json(self._path(exercise).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def write(self, exercise: Exercise, proof: ExerciseProof) -> None:
        """Keep a proof; `CourseError` if the folder cannot be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._path(exercise).write_bytes(_PROOF.dump_json(proof, indent=1))
        except OSError as error:
            raise CourseError(
                f"{self.folder}: cannot be written ({error.strerror}); give --keep another folder"
            ) from None

    def _path(self, exercise: Exercise) -> Path:
        return self.folder / f"{exercise.id}-{self._digest(exercise)[:16]}.json"

    def _digest(self, exercise: Exercise) -> str:
        digest = hashlib.sha256(f"{self.tried}\n{__version__}\n{version('torch')}\n".encode())
        stand_ins = {self.trees.stand_in(other) for other in exercise.rubric.builds_on}
        for path in (*self.trees.graded_files(), *self.trees.all_pictures()):
            parts = path.relative_to(self.trees.root).with_suffix("").parts
            if path in stand_ins or {exercise.id, f"test_{exercise.id}"}.intersection(parts):
                content = self._what_decides(path, exercise)
                digest.update(f"{'/'.join(parts)}\0{len(content)}\0".encode() + content)
        return digest.hexdigest()

    def _what_decides(self, path: Path, exercise: Exercise) -> bytes:
        if path == self.trees.rubric(exercise.id):
            deciding = exercise.rubric.model_dump_json(
                exclude={
                    "title": True,
                    "summary": True,
                    "formulas": True,
                    "hints": True,
                    "criteria": {"__all__": {"title", "hint"}},
                }
            )
            return deciding.encode()
        if path in (self.trees.stub(exercise.id), self.trees.solution(exercise.id)):
            return code_alone(path.read_bytes())
        return path.read_bytes()


def code_alone(source: bytes) -> bytes:
    """Return Python without comments and docstrings, in a form that line breaks do not change."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.dump(tree).encode()
