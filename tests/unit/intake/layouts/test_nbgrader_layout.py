"""nbgrader's folders: ``submitted/STUDENT/ASSIGNMENT``."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from class_trees import HEADS, by_id, every_form, files_of, read, write_tree

from grader.model.errors import SubmissionError

CLASS = {
    "submitted/ann/ps1/heads.py": HEADS,
    "submitted/ann/ps1/timestamp.txt": "2026-11-20 10:00:00 UTC\n",
    "submitted/bob/ps1/heads.py": HEADS,
    "submitted/bob/ps1/timestamp.txt": "2026-11-20 12:00:00.250000 +0100",
    "submitted/cy/ps1/heads.py": HEADS,
    "submitted/cy/ps1/timestamp.txt": "yesterday",
    "source/ps1/solution.py": "secret = 1\n",
    "gradebook.db": b"\0",
}


def test_a_course_folder_is_read_where_students_work_lies(tmp_path: Path) -> None:
    """Nothing else of the course is looked at; the time is in a file."""
    for source in every_form(tmp_path, CLASS, "course101"):
        classroom = read(source)

        people = by_id(classroom)
        assert "nbgrader" == classroom.layout
        assert {"ann": ["heads.py"], "bob": ["heads.py"], "cy": ["heads.py"]} == files_of(source, classroom)
        assert datetime(2026, 11, 20, 10, tzinfo=UTC) == people["ann"].attempts[0].submitted_at
        assert datetime(2026, 11, 20, 11, 0, 0, 250000, UTC) == people["bob"].attempts[0].submitted_at
        assert ("timestamp.txt: expected a time such as 2026-11-20 10:00:00 UTC, found 'yesterday'",) == people[
            "cy"
        ].notes


def test_one_of_several_assignments_has_to_be_named(tmp_path: Path) -> None:
    """Who has only another one has handed in nothing."""
    source = write_tree(
        tmp_path / "submitted",
        {"ann/ps1/timestamp.txt": "", "ann/ps2/heads.py": HEADS, "bob/ps1/heads.py": HEADS},
    )

    with pytest.raises(SubmissionError, match=r"several assignments: ps1 \(2\), ps2 \(1\); say which one"):
        read(source)
    people = by_id(read(source, assignment="ps2"))
    assert (0, None) == (people["ann"].chosen, people["bob"].chosen)
    assert ("handed in nothing for ps2",) == people["bob"].notes
    with pytest.raises(SubmissionError, match=r"nobody has a folder 'ps3'; there are ps1 \(2\), ps2 \(1\)"):
        read(source, assignment="ps3")
