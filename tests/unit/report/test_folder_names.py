"""A student's folder has a name that every file system can hold."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.report.folder_names import folder_name

AWKWARD = (
    *(
        "../../etc/passwd",
        "..",
        ".",
        "a/b",
        "a\\b",
        "C:\\x",
        "a:b",
        "con",
        "NUL",
        "com1",
        "aux.txt",
        "-rf",
        "~",
        " x ",
        "",
    ),
    *(
        "佐藤 愛子",
        "محمد",
        "Ángel",
        "x" * 300,
        "愛" * 300,
        "a\x00b",
        "a\nb",
        "name.",
        "name ",
        "\ud800",
        "😀",
        'a*?<>|"',
    ),
)


@pytest.mark.parametrize("student", AWKWARD)
def test_an_awkward_id_gets_a_safe_name(student):
    """No separators, no dots, no reserved names, and short enough for every system."""
    name = folder_name(student)

    assert all(letter.isalnum() or letter in "-_" for letter in name)
    assert name[0].isalnum()
    assert 1 <= len(name.encode()) <= 73
    assert name.split("-")[0] not in {"con", "nul", "aux", "com1"} or "-" in name


@pytest.mark.parametrize("student", ["ann", "007", "s1234567", "ann_smith", "ann-smith"])
def test_an_ordinary_id_is_its_own_name(student):
    """So that people find the folder."""
    assert student == folder_name(student)


@given(st.text(), st.text())
def test_two_ids_never_share_a_folder(one, other):
    """Not even where letter case and the encoding of accents make no difference."""
    same = folder_key(folder_name(one)) == folder_key(folder_name(other))

    assert same == (one == other)


@given(st.text(min_size=1))
def test_ids_that_a_file_system_takes_for_one_stay_apart(student):
    """Case, composed and decomposed accents, and a name that looks like another's folder."""
    alike = {student, student.upper(), student.lower(), *(unicodedata.normalize(f, student) for f in ("NFC", "NFD"))}
    alike.add(folder_name(student))

    taken = {folder_key(folder_name(each)) for each in alike}

    # A plain id is its own folder's name, so that one alone may meet itself.
    assert len(taken) == len(alike)


def folder_key(name):
    """What a file system that minds neither case nor encoding compares."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


def test_the_name_keeps_what_can_be_read_of_the_id():
    """A folder of digests would have to be looked up one by one."""
    assert folder_name("Ángel Pérez").startswith("ángel-pérez-")
    assert folder_name("佐藤 愛子").startswith("佐藤-愛子-")
    assert folder_name("😀").startswith("student-")
