"""What intake's tests share: ways to hand work in to a small course."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from handed_in import PROMISES, HandIn, HandInZip, Read
from hypothesis.configuration import set_hypothesis_home_dir

from grader.intake.reading import read_submission
from grader.model.submission import Submission

# Its folder is no part of the repository, and pytest would stumble over it there.
set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "attention-dojo-hypothesis")


@pytest.fixture
def read() -> Read:
    """Read paths as a submission to the small course."""

    def read_paths(*paths: Path) -> Submission:
        return read_submission(paths, exercise_ids=tuple(PROMISES), promises=PROMISES)

    return read_paths


@pytest.fixture
def hand_in(tmp_path: Path, read: Read) -> HandIn:
    """Write files into a folder and read it as a submission."""

    def write_and_read(files: Mapping[str, str | bytes]) -> Submission:
        folder = tmp_path / "my attention"
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return read(folder)

    return write_and_read


@pytest.fixture
def hand_in_zip(tmp_path: Path, read: Read) -> HandInZip:
    """Write a zip's bytes to a file and read that as a submission."""

    def write_and_read(data: bytes) -> Submission:
        file = tmp_path / "work.zip"
        file.write_bytes(data)
        return read(file)

    return write_and_read
