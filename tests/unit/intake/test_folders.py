"""A folder is listed without following links or opening anything but ordinary files."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest
from handed_in import HandIn, Read, pack_zip, reasons, texts

from grader.intake import folders
from grader.intake.folders import list_folder, open_ordinary
from grader.intake.refusal import Refused


def test_only_sources_are_listed(hand_in: HandIn) -> None:
    """What tools leave behind is nobody's work, and a workspace is full of it."""
    submission = hand_in(
        {
            "heads.py": "x = 1\n",
            "sub folder/größe.py": "y = 2\n",
            "heads.py.bak-20260101": "old",
            "notes.txt": "",
            "README.md": "",
            ".hidden/heads.py": "",
            ".heads.py": "",
            "__pycache__/heads.py": "",
            "node_modules/a/heads.py": "",
            "my env/pyvenv.cfg": "",
            "my env/lib/heads.py": "",
            "conda/conda-meta/history": "",
            "conda/heads.py": "",
        }
    )

    assert {"heads.py": "x = 1\n", "sub folder/größe.py": "y = 2\n"} == texts(submission)
    assert ((), ()) == (submission.unreadable, submission.notes)


def test_links_are_refused_and_not_followed(tmp_path: Path, hand_in: HandIn, read: Read) -> None:
    """A link can name any file of the grading machine, the solutions included."""
    secret = tmp_path / "secret.py"
    secret.write_text("secret = 1\n")
    folder = tmp_path / "my attention"
    folder.mkdir()
    (folder / "heads.py").symlink_to(secret)
    (folder / "more").symlink_to(tmp_path)
    (folder / ".#masking.py").symlink_to("editor's lock")
    (tmp_path / "link").symlink_to(folder)

    submission = hand_in({"masking.py": "x = 1\n"})

    assert {"masking.py": "x = 1\n"} == texts(submission)
    assert {"heads.py", "more"} == reasons(submission).keys()
    assert "links are not followed; hand in the file or folder itself" in reasons(submission)["heads.py"]
    assert "links are not followed" in reasons(read(tmp_path / "link"))["link"]


def test_pipes_are_never_opened(tmp_path: Path, hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening one can wait for its other end for ever, and opening a device can do anything."""
    folder = tmp_path / "my attention"
    folder.mkdir()
    os.mkfifo(folder / "heads.py")
    opened = []
    monkeypatch.setattr(folders, "open_ordinary", lambda file: opened.append(file.name) or open_ordinary(file))

    submission = hand_in({"masking.py": "x = 1\n"})

    assert "found a device or a pipe" in reasons(submission)["heads.py"]
    assert ["masking.py"] == opened


def test_what_took_a_files_place_is_refused(tmp_path: Path) -> None:
    """Between listing and opening, somebody may have put a link or a pipe there."""
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "link.py").symlink_to("pipe.py")

    for name in ("pipe.py", "link.py"):
        with pytest.raises(Refused):
            open_ordinary(tmp_path / name)


def test_what_may_not_be_read_is_said(hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others count."""

    def open_or_deny(file: Path) -> BinaryIO:
        if file.name == "heads.py":
            raise PermissionError(errno.EACCES, "Permission denied")
        return open_ordinary(file)

    monkeypatch.setattr(folders, "open_ordinary", open_or_deny)

    submission = hand_in({"heads.py": "", "masking.py": "x = 1\n"})

    assert {"masking.py"} == texts(submission).keys()
    assert "it cannot be opened (Permission denied)" in reasons(submission)["heads.py"]


def test_names_that_are_no_text_are_refused(hand_in: HandIn, tmp_path: Path) -> None:
    """On Linux a name is any bytes; a report is not."""
    folder = tmp_path / "my attention"
    folder.mkdir()
    with open(os.fsencode(folder) + b"/\xff\x1b.py", "wb"):
        pass

    submission = hand_in({"masking.py": "x = 1\n"})

    assert {r"\xdcff\x1b.py"} == reasons(submission).keys()
    submission.model_dump_json()


def test_decomposed_names_are_composed(hand_in: HandIn) -> None:
    """macOS stores é as two characters; Python looks for the module under one."""
    assert {"mode\u0301le.py".replace("e\u0301", "é")} == texts(hand_in({"mode\u0301le.py": "x = 1\n"})).keys()


def test_a_folder_too_deep_is_refused_once(hand_in: HandIn) -> None:
    """One line for the folder, whatever is below."""
    submission = hand_in({"/".join("abcdefghijklmn") + f"/{name}.py": "" for name in ("x", "y")} | {"heads.py": ""})

    assert 1 == len(submission.unreadable)
    assert "more than 12 folders deep" in submission.unreadable[0].reason


def test_a_folder_of_endless_files_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody checks the home folder by mistake: seconds, and a line that says so."""
    monkeypatch.setattr(folders, "MAX_ENTRIES", 3)
    for name in "abcde":
        (tmp_path / f"{name}.py").touch()

    listing = list_folder(tmp_path)

    assert 3 == len(listing.sources)
    assert "more than the 3 files that are looked at" in listing.refused[0].text


def test_a_zip_alone_in_a_folder_is_opened(hand_in: HandIn) -> None:
    """Learning platforms make a folder for each student and put the upload into it."""
    zipped = pack_zip({"work/heads.py": "x = 1\n"})

    assert {"heads.py": "x = 1\n"} == texts(hand_in({"upload.zip": pack_zip({"work.zip": zipped})}))


def test_a_source_under_another_ending_is_pointed_out(hand_in: HandIn) -> None:
    """Windows hides endings, and browsers add them."""
    submission = hand_in({"heads.py.txt": "x = 1\n"})

    assert "heads.py.txt: it was not read because of its ending; rename it to heads.py" in submission.notes


def test_the_mode_of_opened_files_is_checked(tmp_path: Path) -> None:
    """An ordinary file is read as bytes."""
    file = tmp_path / "heads.py"
    file.write_bytes(b"x\r\n")

    with open_ordinary(file) as stream:
        assert stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
        assert b"x\r\n" == stream.read()
