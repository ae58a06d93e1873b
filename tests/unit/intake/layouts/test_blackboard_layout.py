"""Blackboard's download: flat files, with a receipt for each attempt."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from class_trees import HEADS, by_id, every_form, files_of, read, write_tree

RECEIPT = "Name: Ann Doe (ann_doe)\nAssignment: Attention 1\nDate Submitted: Friday, 20 November 2026\n"
CLASS = {
    "Attention_1_ann_doe_attempt_2026-11-20-10-00-00.txt": RECEIPT,
    "Attention_1_ann_doe_attempt_2026-11-20-10-00-00_heads.py": "first = 1\n",
    "Attention_1_ann_doe_attempt_2026-11-21-09-30-00.txt": RECEIPT,
    "Attention_1_ann_doe_attempt_2026-11-21-09-30-00_heads.py": HEADS,
    "Attention_1_ann_doe_attempt_2026-11-21-09-30-00_masking.py": "x = 1\n",
    "Attention_1_s007_attempt_2026-11-20-11-00-00_my_heads.py": HEADS,
    "Attention_1_s008_attempt_2026-11-20-11-00-00.txt": "Name: Cy Dee (s008)\n",
}


def test_attempts_are_told_apart_by_their_times(tmp_path: Path) -> None:
    """A receipt says how a user name with an underscore is to be read; one without files is an attempt still."""
    for source in every_form(tmp_path, CLASS, "gradebook_Attention_1"):
        classroom = read(source)

        people = by_id(classroom)
        assert "blackboard" == classroom.layout
        assert {"ann_doe": "Ann Doe", "s007": "", "s008": "Cy Dee"} == {
            name: one.student.name for name, one in people.items()
        }
        assert {"ann_doe": ["heads.py", "masking.py"], "s007": ["my_heads.py"], "s008": []} == files_of(
            source, classroom
        )
        assert [datetime(2026, 11, 20, 10, tzinfo=UTC), datetime(2026, 11, 21, 9, 30, tzinfo=UTC)] == [
            attempt.submitted_at for attempt in people["ann_doe"].attempts
        ]
        assert 1 == people["ann_doe"].chosen


def test_times_are_the_schools(tmp_path: Path) -> None:
    """The names hold no time zone: it can be given, and is said to be guessed otherwise."""
    source = write_tree(tmp_path / "c", CLASS)

    tokyo = by_id(read(source, zone=ZoneInfo("Asia/Tokyo")))["s007"].attempts[0].submitted_at

    assert datetime(2026, 11, 20, 2, tzinfo=UTC) == tokyo
    assert ("the times in the files' names have no time zone and were taken for UTC",) == read(source).notes


def test_without_receipts_the_users_are_what_differs(tmp_path: Path) -> None:
    """All names begin with the assignment's; the word for attempt is the site's language."""
    source = write_tree(
        tmp_path / "c",
        {"PS_1_ann_poging_2026-11-20-10-00-00_heads.py": "", "PS_1_bob_poging_2026-11-20-10-00-00_heads.py": ""},
    )

    assert ["ann", "bob"] == list(by_id(read(source)))
