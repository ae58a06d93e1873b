"""Canvas's download: one flat folder."""

from pathlib import Path

from class_trees import HEADS, by_id, every_form, files_of, read, write_tree

CLASS = {
    "doeann_1234_567890_heads.py": HEADS,
    "doeann_1234_567891_masking.py": "x = 1\n",
    "leebob_LATE_1235_567900_attention-1.ipynb": '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}',
    "garcíapepe_1236_567910_work.zip": b"PK\5\6" + bytes(18),
    "oneill_smithjo_1237_text.html": "<p>see my repository</p>",
    "zhangwei_LATE_1238_link.html": "<a>…</a>",
}


def test_students_are_told_apart_by_user_id(tmp_path: Path) -> None:
    """The name in front is only a name; ``LATE`` is the platform's mark, and ``-1`` a file handed in again."""
    for source in every_form(tmp_path, CLASS):
        classroom = read(source)

        people = by_id(classroom)
        assert "canvas" == classroom.layout
        assert ["1234", "1235", "1236", "1237", "1238"] == list(people)
        assert ["doeann", "leebob", "garcíapepe", "oneill_smithjo", "zhangwei"] == [
            one.student.name for one in people.values()
        ]
        assert [False, True, False, False, True] == [one.attempts[0].marked_late for one in people.values()]
        assert {
            "1234": ["heads.py", "masking.py"],
            "1235": ["attention.ipynb"],
            "1236": [],
            "1237": [],
            "1238": [],
        } == files_of(source, classroom)


def test_versions_of_a_file_are_attempts(tmp_path: Path) -> None:
    """Two downloads in one folder: the attachment's number says which is newer."""
    source = write_tree(
        tmp_path / "class",
        {
            "doeann_1234_9_heads.py": "first = 1\n",
            "doeann_1234_10_masking.py": "m = 1\n",
            "doeann_LATE_1234_11_heads-1.py": "second = 1\n",
            "doeann_LATE_1234_12_heads-2.py": "third = 1\n",
        },
    )

    hand_in = by_id(read(source))["1234"]

    assert [False, True, True] == [attempt.marked_late for attempt in hand_in.attempts]
    assert 2 == hand_in.chosen
    assert ("doeann_1234_10_masking.py", "doeann_LATE_1234_12_heads-2.py") == hand_in.attempts[2].sources
    assert ("masking.py", "heads.py") == hand_in.attempts[2].names
    assert ("handed in 3 times; the newest attempt counts",) == hand_in.notes
    assert 0 == by_id(read(source, rule="oldest"))["1234"].chosen


def test_files_that_end_in_numbers_are_no_versions_of_each_other(tmp_path: Path) -> None:
    """Both parts belong to one hand-in; Canvas's own number comes with the name that it was added to."""
    source = write_tree(
        tmp_path / "class", {"leebob_1_500_part-1.py": "one = 1\n", "leebob_1_501_part-2.py": "two = 2\n"}
    )

    (attempt,) = by_id(read(source))["1"].attempts

    assert ("part-1.py", "part-2.py") == attempt.names


def test_anonymous_downloads_are_read(tmp_path: Path) -> None:
    """Then an invented id stands for the person."""
    source = write_tree(tmp_path / "c", {"anon_aB3dE_9_heads.py": "", "LATE_anon_xY9zZ_10_heads.py": ""})

    people = by_id(read(source))

    assert {"anon_aB3dE": False, "anon_xY9zZ": True} == {
        name: one.attempts[0].marked_late for name, one in people.items()
    }
