"""What classes hand in, arranged as learning platforms arrange it."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from handed_in import PROMISES

from grader.intake.attempts import AttemptReader
from grader.intake.classroom import read_classroom
from grader.model.classroom import Classroom, HandIn
from grader.model.submission import Submission

Files = Mapping[str, str | bytes]

HEADS = "def split_heads(x, num_heads):\n    return x\n"


def write_tree(root: Path, files: Files) -> Path:
    """Write files, by path below the root, and return the root."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def write_zip(path: Path, files: Files, top: str = "") -> Path:
    """Write files into a zip, below a folder if one is named, and return the zip's path."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"{top}{name}", content)
    path.write_bytes(stream.getvalue())
    return path


def every_form(tmp_path: Path, files: Files, name: str = "class") -> list[Path]:
    """Return the same class as a folder, a folder in a folder, a zip, and a zip with a folder on top."""
    return [
        write_tree(tmp_path / "folder" / name, files),
        write_tree(tmp_path / "wrapped" / "download" / name, files).parent,
        write_zip(tmp_path / f"{name}.zip", files),
        write_zip(
            tmp_path / "top.zip", {"__MACOSX/._x": b"\0", **{f"{name}/{path}": text for path, text in files.items()}}
        ),
    ]


def read(source: Path, **options: object) -> Classroom:
    """Read a class of the small course."""
    return read_classroom(source, exercise_ids=tuple(PROMISES), **options)  # type: ignore[arg-type]


def by_id(classroom: Classroom) -> dict[str, HandIn]:
    """Return the hand-ins by student id."""
    return {hand_in.student.id: hand_in for hand_in in classroom.hand_ins}


def submission_of(source: Path, hand_in: HandIn) -> Submission:
    """Read the attempt that counts."""
    with AttemptReader(source, exercise_ids=tuple(PROMISES), promises=PROMISES) as reader:
        return reader.read(hand_in)


def files_of(source: Path, classroom: Classroom) -> dict[str, list[str]]:
    """Return the paths that each student's submission is read from, by student id."""
    return {
        hand_in.student.id: [file.path for file in submission_of(source, hand_in).files]
        for hand_in in classroom.hand_ins
    }
