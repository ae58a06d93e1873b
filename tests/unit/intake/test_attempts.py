"""What one student handed in is read within bounds; whatever is wrong with it is that student's report."""

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest
from class_trees import HEADS, by_id, read, submission_of, write_tree, write_zip
from handed_in import PROMISES, notebook, pack_zip, reasons, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake.attempts import AttemptReader
from grader.intake.limits import MAX_CODE_BYTES, MAX_FILES, MAX_TOTAL_CODE
from grader.model.classroom import Attempt, HandIn, Student
from grader.model.errors import SubmissionError
from grader.model.submission import Submission


def read_all(source: Path) -> dict[str, Submission]:
    """Read every hand-in of a class."""
    classroom = read(source)
    with AttemptReader(source, exercise_ids=tuple(PROMISES), promises=PROMISES) as reader:
        return {hand_in.student.id: reader.read(hand_in) for hand_in in classroom.hand_ins}


BOMB = pack_zip({"heads.py": b"#" * 50_000_000})
HOSTILE = {
    "bomb/work.zip": BOMB,
    "bomb2.zip": BOMB,
    "nul/heads.py": b"x = 1\n\0\0",
    "cut/heads.ipynb": notebook("x = 1")[:60],
    "notzip.zip": b"PK\3\4 nothing",
    "huge/heads.py": b"#" * 2_000_000,
    "deep/" + "d/" * 20 + "heads.py": HEADS,
    "bob/heads.py": HEADS,
    "bob/Heads.py": HEADS,
}


@pytest.mark.parametrize("form", ["folder", "zip"])
def test_what_is_wrong_with_one_is_that_ones_report(tmp_path: Path, form: str) -> None:
    """And the others are graded."""
    make = write_tree if form == "folder" else write_zip
    source = make(tmp_path / ("class" if form == "folder" else "class.zip"), {**HOSTILE, "ann/heads.py": HEADS})

    submissions = read_all(source)

    assert {"heads.py": HEADS} == texts(submissions["ann"])
    why = {name: "; ".join(reasons(one).values()) for name, one in submissions.items()}
    assert "unpack to more than 200 times its size" in why["bomb"]
    assert "unpack to more than 200 times its size" in why["bomb2"]
    assert "line 2 has one, as binary or half-written files do" in why["nul"]
    assert "the file ends in the middle" in why["cut"]
    assert "cannot be read as one" in why["notzip"]
    assert "than the 1.0 MiB that are read" in why["huge"] or "200 times its size" in why["huge"]
    assert "more than 12 folders deep" in why["deep"]
    if form == "zip":  # a folder tells letter case apart
        assert "found 2 files that are one to some systems" in why["bob"]


def entry(name: str, mode: int = 0, content: bytes = b"x = 1\n") -> tuple[zipfile.ZipInfo, bytes]:
    """Return an entry of a zip with a name that an archiver would not give it."""
    info = zipfile.ZipInfo("x")
    info.filename = name
    info.create_system = 3
    info.external_attr = mode << 16
    return info, content


def test_paths_that_leave_the_class_are_refused(tmp_path: Path) -> None:
    """In the report of the student in whose folder they begin, else in the class's list."""
    source = tmp_path / "class.zip"
    with zipfile.ZipFile(source, "w") as archive:
        for info, content in (
            entry("ann/heads.py"),
            entry("ann/../../evil.py"),
            entry("../evil.py"),
            entry("/etc/evil.py"),
            entry("C:\\evil.py"),
            entry("bob/heads.py", stat.S_IFLNK | 0o777, b"/etc/passwd"),
            entry("cy/heads.py", stat.S_IFCHR | 0o666),
            entry("dee", stat.S_IFLNK | 0o777, b"ann"),
            entry("eve\\heads.py"),
        ):
            archive.writestr(info, content)

    submissions = read_all(source)

    assert {"heads.py": "x = 1\n"} == texts(submissions["ann"])
    assert "its path leaves the zip's folder" in reasons(submissions["ann"])["ann/../../evil.py"]
    assert "it is a link" in reasons(submissions["bob"])["heads.py"]
    assert "found a device or a pipe" in reasons(submissions["cy"])["heads.py"]
    assert "it is a link" in reasons(submissions["dee"])["dee"]
    assert ["heads.py"] == list(texts(submissions["eve"]))
    unmatched = read(source).unmatched
    assert ["../evil.py", "/etc/evil.py", "C:\\evil.py"] == sorted(line.rpartition(": ")[0] for line in unmatched)


def test_a_hand_in_that_points_elsewhere_is_not_read(tmp_path: Path) -> None:
    """It may have been stored, and the class's folder changed since."""
    write_tree(tmp_path, {"secret.py": "secret = 1\n", "class/ann/heads.py": HEADS})
    os.symlink(tmp_path, tmp_path / "class" / "up")

    for path in ("../secret.py", "/etc/passwd", "ann/../../secret.py", "up/secret.py", "gone"):
        hand_in = HandIn(student=Student(id="ann"), attempts=(Attempt(sources=(path,)),), chosen=0)
        submission = submission_of(tmp_path / "class", hand_in)
        assert ((), 1) == (submission.files, len(submission.unreadable)), path


def test_a_students_zip_may_be_larger_inside_the_classes(tmp_path: Path) -> None:
    """Than a zip that a student put into another."""
    padding = {f"data{number}.bin": os.urandom(5_000_000) for number in range(4)}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in {"heads.py": HEADS, **padding}.items():
            archive.writestr(name, content)
    source = write_zip(tmp_path / "class.zip", {"ann.zip": stream.getvalue(), "bob/heads.py": HEADS})

    assert ["heads.py"] == list(texts(read_all(source)["ann"]))


def test_the_id_is_the_students_and_the_digest_the_works(tmp_path: Path) -> None:
    """The same files give the same digest however they came."""
    folder = write_tree(tmp_path / "class", {"ann/heads.py": HEADS, "bob/work/heads.py": HEADS})
    archive = write_zip(tmp_path / "class.zip", {"ann.zip": pack_zip({"heads.py": HEADS}), "bob/heads.py": HEADS})

    both = [one for source in (folder, archive) for one in read_all(source).values()]

    assert ["ann", "bob", "ann", "bob"] == [one.id for one in both]
    assert 1 == len({one.sha256 for one in both})


_NAMES = st.text(st.sampled_from("ab./\\ :é\u0301\0\u202e1_-~"), min_size=1, max_size=12)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(_NAMES, st.binary(max_size=80), min_size=1, max_size=6), st.integers(0, 10_000))
def test_any_archive_is_a_class_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], cut: int
) -> None:
    """Whatever the names, and however it is damaged: never an exception but the one that says so in a line."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            info, _ = entry(f"{name}.py")
            archive.writestr(info, content)
    data = bytearray(stream.getvalue())
    data[cut % len(data)] ^= 0xFF
    source = tmp_path_factory.mktemp("any") / "class.zip"
    source.write_bytes(data)

    classroom, message = None, ""
    try:
        classroom = read(source)
    except SubmissionError as error:
        message = str(error)

    assert "\n" not in message
    for hand_in in classroom.hand_ins if classroom else ():
        submission = submission_of(source, hand_in)
        submission.model_dump_json()
        assert not any(file.path.startswith("/") or ".." in file.path.split("/") for file in submission.files)
    assert not classroom or classroom.model_dump_json()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 400), st.integers(1, 3_000_000))
def test_no_ratio_or_size_gets_past_the_bounds(tmp_path_factory: pytest.TempPathFactory, count: int, size: int) -> None:
    """What is read of one student stays within the limits of one submission."""
    files = {f"ann/f{number}.py": b"#" * (size // count) for number in range(count)}
    source = write_zip(tmp_path_factory.mktemp("bounds") / "class.zip", {**files, "bob.py": ""})

    submission = submission_of(source, by_id(read(source))["ann"])

    assert len(submission.files) <= MAX_FILES
    assert sum(len(file.text) for file in submission.files) <= MAX_TOTAL_CODE
    assert all(len(file.text) <= MAX_CODE_BYTES for file in submission.files)
    assert len(submission.files) == count or submission.unreadable
