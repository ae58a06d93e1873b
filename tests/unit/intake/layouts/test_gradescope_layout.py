"""Gradescope's export: folders, and a file that says whose they are."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from class_trees import HEADS, by_id, every_form, files_of, read, write_tree

from grader.model.errors import SubmissionError

METADATA = """---
submission_71:
  :submitters:
  - :name: Ann Doe
    :sid: '00123'
    :email: ann@uni.test
  :created_at: 2026-11-20 10:00:00.123456000 Z
  :score: 6.0
  :history:
  - :created_at: 2026-11-19 10:00:00.000000000 Z
submission_72:
  :submitters:
  - :name: Bob Lee
    :sid: ''
    :email: bob@uni.test
  - :name: Cy Dee
    :sid: '125'
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: 2026-11-20 11:00:00.000000000 Z
    zone: &1 !ruby/object:ActiveSupport::TimeZone
      name: Etc/UTC
    time: 2026-11-20 11:00:00.000000000 Z
"""
CLASS = {
    "submission_metadata.yml": METADATA,
    "submission_71/heads.py": HEADS,
    "submission_72/src/heads.py": HEADS,
    "submission_73/heads.py": HEADS,
}


def test_the_metadata_says_whose_a_folder_is(tmp_path: Path) -> None:
    """A group's work is everybody's; leading zeros stay; a folder that is not named belongs to nobody."""
    for source in every_form(tmp_path, CLASS, "assignment_5_export"):
        classroom = read(source)

        people = by_id(classroom)
        assert "gradescope" == classroom.layout
        assert {"00123": ["heads.py"], "125": ["heads.py"], "bob@uni.test": ["heads.py"]} == files_of(source, classroom)
        assert ["submission_73"] == [path.rpartition("/")[2] for path in classroom.unmatched]
        assert datetime(2026, 11, 20, 10, 0, 0, 123456, UTC) == people["00123"].attempts[0].submitted_at
        assert datetime(2026, 11, 20, 11, tzinfo=UTC) == people["125"].attempts[0].submitted_at
        assert ("1 earlier attempt is not in the export",) == people["00123"].notes
        assert ("submission_72 was handed in by Bob Lee, Cy Dee",) == people["125"].notes


def test_metadata_that_is_broken_stops_the_class(tmp_path: Path) -> None:
    """Without it nobody knows whose work is whose."""
    source = write_tree(tmp_path / "c", {**CLASS, "submission_metadata.yml": "a: [1,\nb: }"})

    with pytest.raises(SubmissionError, match=r"submission_metadata.yml: expected YAML .*, found an error in line 2"):
        read(source)


def test_metadata_cannot_build_objects(tmp_path: Path) -> None:
    """A tag is never code to run."""
    evil = "submission_71: !!python/object/apply:os.system ['touch /tmp/evil']\n"
    source = write_tree(tmp_path / "c", {**CLASS, "submission_metadata.yml": evil})

    with pytest.raises(SubmissionError, match="expected YAML as Gradescope writes it"):
        read(source)
