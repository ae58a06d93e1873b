"""A class: who is in it, matched with the roster; nobody dropped, nothing invented."""

import os
from pathlib import Path

import pytest
from class_trees import HEADS, by_id, files_of, read, submission_of, write_tree, write_zip

from grader.intake.classroom import LAYOUTS
from grader.model.errors import SubmissionError


def test_the_roster_decides_who_is_in_the_class(tmp_path: Path) -> None:
    """Who handed in nothing is there, who is not on it is marked, and files of nobody are listed."""
    source = write_tree(
        tmp_path / "class", {"ann/heads.py": HEADS, "zed/heads.py": HEADS, "syllabus.pdf": "", "roster.csv": ""}
    )
    roster = source / "roster.csv"
    roster.write_text("id,name,section\nann,Ann Doe,A\nbob,Bob Lee,B\n", encoding="utf-8")

    classroom = read(source, roster=roster)

    people = by_id(classroom)
    assert ["ann", "bob", "zed"] == list(people)
    assert ("Ann Doe", "A", True) == (
        people["ann"].student.name,
        people["ann"].student.section,
        people["ann"].in_roster,
    )
    assert ((), None, True) == (people["bob"].attempts, people["bob"].chosen, people["bob"].in_roster)
    assert ("nothing was handed in",) == submission_of(source, people["bob"]).notes
    assert (False, ("not on the roster",)) == (people["zed"].in_roster, people["zed"].notes)
    assert ("syllabus.pdf",) == classroom.unmatched


def test_a_platforms_id_is_kept_for_what_goes_back(tmp_path: Path) -> None:
    """The roster's id is the gradebook's, the platform's is how its import knows the person."""
    source = write_tree(tmp_path / "class", {"doeann_98765_1_heads.py": HEADS, "leebob_98766_2_heads.py": HEADS})
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name\n98765,Bob Lee\n007,Ann Doe\n", encoding="utf-8")

    people = by_id(read(source, roster=roster))

    assert {"007": ("98765", "Ann Doe"), "98765": ("98766", "Bob Lee")} == {
        name: (one.student.platform_id, one.student.name) for name, one in people.items()
    }


def test_a_roster_made_from_the_platforms_gradebook_is_understood(tmp_path: Path) -> None:
    """One name that is written in other letters does not stop the class; nor does a roster without names."""
    names = {"doeann": 101, "leebob": 102, "muellerjuergen": 103, "wangxiaoming": 104, "kimsam": 105}
    source = write_tree(tmp_path / "class", {f"{name}_{number}_1_heads.py": HEADS for name, number in names.items()})
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name\n101,Ann Doe\n102,Bob Lee\n103,Jürgen Müller\n104,王小明\n105,Sam Kim\n", "utf-8")
    nameless = tmp_path / "nameless.csv"
    nameless.write_text("id\n101\n102\n103\n104\n105\n", "utf-8")

    for people in (by_id(read(source, roster=roster)), by_id(read(source, roster=nameless))):
        assert ["101", "102", "103", "104", "105"] == list(people)
        assert all(one.in_roster and one.chosen == 0 for one in people.values())


def test_a_number_that_is_somebody_elses_id_is_told_with_both_names(tmp_path: Path) -> None:
    """And with what to do."""
    source = write_tree(tmp_path / "class", {"doeann_101_1_heads.py": HEADS, "muellerjuergen_103_2_heads.py": HEADS})
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name\n007,Ann Doe\n103,Jürgen Müller\n", "utf-8")

    with pytest.raises(SubmissionError, match="103 is called 'muellerjuergen' there and 'Jürgen Müller' on the roster"):
        read(source, roster=roster)


def test_two_who_could_be_one_are_left_to_a_person(tmp_path: Path) -> None:
    """A guess would give one of them the other's grade."""
    source = write_tree(tmp_path / "class", {"ann doe/heads.py": HEADS, "doe_ann/heads.py": HEADS})
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name\n7,Ann Doe\n", encoding="utf-8")

    people = by_id(read(source, roster=roster))

    assert [None, 0, 0] == [one.chosen for one in people.values()]
    assert "could be 7 of the roster; rename it to say so" in people["ann doe"].notes


def test_ids_that_are_one_to_some_systems_are_refused(tmp_path: Path) -> None:
    """With both names, and escaped where they look the same."""
    cased = write_tree(tmp_path / "cased", {"Ann/heads.py": HEADS, "ann/heads.py": HEADS})
    composed = write_tree(tmp_path / "composed", {"Jos\u00e9/heads.py": HEADS, "Jose\u0301/heads.py": HEADS})
    wide = write_zip(tmp_path / "wide.zip", {"bob/heads.py": HEADS, "ｂob/heads.py": HEADS})

    with pytest.raises(SubmissionError, match=r"cased: the ids 'Ann' and 'ann' are the same but for letter case"):
        read(cased)
    with pytest.raises(SubmissionError, match=r"are both the work of José"):
        read(composed)
    with pytest.raises(SubmissionError, match=r"wide.zip: the ids 'bob' and 'ｂob' are the same"):
        read(wide)


def test_a_layout_can_be_forced(tmp_path: Path) -> None:
    """Where names look like a platform's by chance."""
    source = write_tree(tmp_path / "class", {"team_1_2_x.py": "", "team_3_4_y.py": ""})

    assert ["1", "3"] == list(by_id(read(source)))
    assert ["team_1_2_x", "team_3_4_y"] == list(by_id(read(source, layout="folders")))
    with pytest.raises(SubmissionError, match="no hand-in was found in the layout moodle; try another"):
        read(source, layout="moodle")
    with pytest.raises(SubmissionError, match=f"no layout 'blackbored'; expected auto or one of {', '.join(LAYOUTS)}"):
        read(source, layout="blackbored")
    with pytest.raises(SubmissionError, match="there is no rule 'best'; expected newest or oldest"):
        read(source, rule="best")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none", "there is no such file or folder"),
        ("empty", "found no folder, .zip, .ipynb or .py of any student"),
        ("text.txt", "found another file; expected a folder or a .zip of what a class handed in"),
        ("broken.zip", "expected a zip, found a file that cannot be read as one"),
    ],
)
def test_a_source_that_is_no_class_is_refused_in_one_line(tmp_path: Path, name: str, message: str) -> None:
    """With its path and what was expected."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.txt").touch()
    (tmp_path / "broken.zip").write_bytes(b"PK\3\4 nothing")

    with pytest.raises(SubmissionError, match=message) as raised:
        read(tmp_path / name)
    assert str(raised.value).startswith(str(tmp_path / name))


def test_a_large_class_is_listed_from_its_table_of_contents(tmp_path: Path) -> None:
    """More entries than one person may hand in."""
    source = write_zip(tmp_path / "class.zip", {f"s{number:05}/heads.py": HEADS for number in range(3_000)})

    classroom = read(source)

    assert 3_000 == len(classroom.hand_ins)
    assert ["heads.py"] == [file.path for file in submission_of(source, classroom.hand_ins[-1]).files]


def test_a_students_link_is_that_students_refusal(tmp_path: Path) -> None:
    """Whether the folder or the file is one; what it points to is never read."""
    secret = write_tree(tmp_path / "secret", {"heads.py": "secret = 1\n"})
    source = write_tree(tmp_path / "class", {"bob/heads.py": HEADS})
    (source / "ann").symlink_to(secret)
    (source / "cy.py").symlink_to(secret / "heads.py")
    os.mkfifo(source / "dee.py")

    classroom = read(source)

    assert {"ann": [], "bob": ["heads.py"], "cy": [], "dee": []} == files_of(source, classroom)
    people = by_id(classroom)
    for name in ("ann", "cy"):
        assert "it is a link, and links are not followed" in submission_of(source, people[name]).unreadable[0].reason
    assert "found a device or a pipe" in submission_of(source, people["dee"]).unreadable[0].reason


def test_a_name_that_cannot_be_shown_is_listed(tmp_path: Path) -> None:
    """As it would print, so that somebody can rename it."""
    source = write_tree(tmp_path / "class", {"bob/heads.py": HEADS, "an\x1b[2Jn/heads.py": HEADS})
    os.mkdir(os.fsencode(source) + b"/Garc\xeda")

    classroom = read(source)

    assert ["bob"] == list(by_id(classroom))
    assert 2 == len(classroom.unmatched)
    assert r"an\x1b[2Jn: its name holds characters that cannot be shown, or is too long; rename it" in (
        classroom.unmatched
    )
    classroom.model_dump_json()


@pytest.mark.parametrize(
    "planted",
    [
        "bob/.git/HEAD",
        "bob/work/timestamp.txt",
        "Bob_1_assignsubmission_file_.zip",
        "PS1_bob_attempt_2026-11-20-10-00-00_x.py",
        "b_1_2_x.py",
        "Lee_Bob_blee_4712/heads.py",
    ],
)
def test_one_student_cannot_change_how_the_class_is_read(tmp_path: Path, planted: str) -> None:
    """By a name that looks like a platform's."""
    source = write_tree(tmp_path / "class", {"ann/heads.py": HEADS, "cy.zip": "", "s-dee/heads.py": HEADS, planted: ""})

    classroom = read(source)

    assert "folders" == classroom.layout
    assert {"ann", "cy", "s-dee"} < by_id(classroom).keys()


def test_the_class_may_lie_below_a_page_about_it(tmp_path: Path) -> None:
    """What is beside its folder is listed."""
    source = write_tree(
        tmp_path / "hw1",
        {"submissions/ann.zip": "", "submissions/bob/heads.py": HEADS, "roster.xlsx": "", "README.md": ""},
    )

    classroom = read(source)

    assert ("folders", ["ann", "bob"]) == (classroom.layout, list(by_id(classroom)))
    assert ("README.md", "roster.xlsx") == classroom.unmatched
