"""No platform: names are ids."""

from pathlib import Path

import pytest
from class_trees import HEADS, by_id, every_form, files_of, read, submission_of, write_tree, write_zip
from handed_in import notebook, pack_zip

from grader.model.errors import SubmissionError

CLASS = {
    "ann/heads.py": HEADS,
    "ann/__pycache__/heads.cpython-311.pyc": b"\0",
    "bob/my work/heads.py": HEADS,
    "cy.py": HEADS,
    "dee.ipynb": notebook("x = 1"),
    "eve.zip": pack_zip({"top/heads.py": HEADS, "__MACOSX/top/._heads.py": b"\0"}),
    "fay.zip": pack_zip({"work.zip": pack_zip({"heads.py": HEADS})}),
    "gus.rar": b"Rar!",
    "hal.py.txt": HEADS,
    "README.md": "hello",
    ".DS_Store": b"\0",
}


def test_a_folder_or_file_is_a_student(tmp_path: Path) -> None:
    """Folders, zips, notebooks and modules beside each other; what nobody can grade is named, not dropped."""
    for source in every_form(tmp_path, CLASS):
        classroom = read(source)

        assert "folders" == classroom.layout
        assert {
            "ann": ["heads.py"],
            "bob": ["heads.py"],
            "cy": ["cy.py"],
            "dee": ["dee.ipynb"],
            "eve": ["heads.py"],
            "fay": ["heads.py"],
            "gus": [],
            "hal": [],
        } == files_of(source, classroom)
        assert ["README.md"] == [path.rpartition("/")[2] for path in classroom.unmatched]
        people = by_id(classroom)
        assert "gus.rar: it cannot be opened here; hand in a .zip" in submission_of(source, people["gus"]).notes[0]
        assert "rename it to hal.py" in submission_of(source, people["hal"]).notes[0]


def test_numbered_downloads_are_attempts(tmp_path: Path) -> None:
    """Browsers write ``(1)``; without the first of them it is only a name."""
    source = write_tree(tmp_path / "c", {"ann.py": "", "ann (1).py": "", "ann (10).py": "", "bob (1).py": ""})

    people = by_id(read(source))

    assert ["ann", "bob (1)"] == list(people)
    assert ["ann.py", "ann (1).py", "ann (10).py"] == [one.sources[0] for one in people["ann"].attempts]
    assert 2 == people["ann"].chosen


def test_two_works_of_one_name_are_refused(tmp_path: Path) -> None:
    """Which of them counts is for a person to say."""
    source = write_tree(tmp_path / "c", {"ann/heads.py": "", "ann.zip": b""})

    with pytest.raises(SubmissionError, match=r"ann and ann.zip are both the work of ann; expected one folder or file"):
        read(source)


def test_one_persons_work_is_no_class(tmp_path: Path) -> None:
    """Whose students would be called heads and masking."""
    source = write_tree(tmp_path / "ann", {"heads.py": HEADS, "masking.py": "", "my_test.py": ""})

    with pytest.raises(SubmissionError, match=r"found files named after exercises \(heads.py, masking.py\)"):
        read(source)


def test_a_single_students_folder_is_not_taken_for_a_wrapping(tmp_path: Path) -> None:
    """It holds code; a folder around a class holds folders or zips."""
    source = write_tree(tmp_path / "c", {"ann/heads.py": HEADS, "ann/helpers/shapes.py": ""})

    classroom = read(source)

    assert {"ann": ["heads.py", "helpers/shapes.py"]} == files_of(source, classroom)
    assert ("only one student was found; if this is one person's work, use grade check",) == classroom.notes


def test_a_zip_of_zips_is_a_class(tmp_path: Path) -> None:
    """Nothing of it is written to the disk."""
    source = write_zip(tmp_path / "all.zip", {f"{name}.zip": pack_zip({"heads.py": HEADS}) for name in ("ann", "bob")})

    assert {"ann": ["heads.py"], "bob": ["heads.py"]} == files_of(source, read(source))
    assert ["all.zip"] == [path.name for path in tmp_path.iterdir()]
