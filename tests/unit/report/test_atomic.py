"""A file is replaced at once or not at all."""

import os
import stat

import pytest

from grader.model.errors import GraderError
from grader.report.atomic import replacing, write_atomically


def test_a_failure_half_way_leaves_the_old_file_and_nothing_else(tmp_path):
    """Whoever reads meanwhile sees the old text."""
    path = tmp_path / "grades.csv"
    path.write_text("old")

    with pytest.raises(ZeroDivisionError), replacing(path) as file:
        file.write(f"half{1 / 0}")

    assert "old" == path.read_text()
    assert [path] == list(tmp_path.iterdir())


def test_folders_are_made_and_the_text_is_utf8(tmp_path):
    """Half a surrogate pair, which a learner's prints may hold, is no reason to fail."""
    path = tmp_path / "a" / "b.txt"

    write_atomically(path, "á\r\n\ud800")

    assert "á\r\n?".encode() == path.read_bytes()


def test_the_file_is_as_open_as_any_other(tmp_path):
    """Not for its owner alone, as temporary files are."""
    ordinary = tmp_path / "ordinary"
    ordinary.write_text("")

    write_atomically(tmp_path / "written", "")

    assert stat.S_IMODE(ordinary.stat().st_mode) == stat.S_IMODE((tmp_path / "written").stat().st_mode)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    """In one line, with what to do next."""
    (tmp_path / "file").write_text("")

    with pytest.raises(GraderError, match=r"file.x\.txt: it cannot be written \(.*\)\. What was there before is unch"):
        write_atomically(tmp_path / "file" / "x.txt", "")


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    """The last step is the one that counts."""
    path = tmp_path / "x.txt"
    path.write_text("old")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))

    with pytest.raises(GraderError, match="No space left on device"):
        write_atomically(path, "new")

    assert ["x.txt"] == [left.name for left in tmp_path.iterdir()]
    assert "old" == path.read_text()
