"""Copies of an exercise's file stand in for it, and helpers are left alone."""

import pytest
from handed_in import HandIn, texts

from grader.intake.duplicates import is_named_after

SPLIT = "def split_heads(x, num_heads):\n    return x\n"


@pytest.mark.parametrize(
    "name",
    [
        "Heads.py",
        "HEADS.PY",
        "heads (1).py",
        "heads(2).py",
        "heads-2.py",
        "heads_1.py",
        "heads 2.py",
        "heads_v2.py",
        "heads copy.py",
        "heads copy 3.py",
        "heads - Copy.py",
        "heads - Copy (2).py",
        "heads - コピー.py",
        "headsのコピー.py",
        "Copy of heads.py",
        "heads_final.py",
        "heads.py.py",
        "heads (1) (1).py",
    ],
)
def test_a_copy_alone_is_used(hand_in: HandIn, name: str) -> None:
    """Browsers, systems and people rename files; the work in them is the same."""
    submission = hand_in({name: SPLIT, "multihead.py": "from heads import split_heads\n"})

    assert SPLIT == texts(submission)["heads.py"]
    assert (f"{name}: there is no heads.py, so it was used as heads.py; rename it to be sure",) == submission.notes


@pytest.mark.parametrize("name", ["multi_head.py", "Multi-Head.py", "MultiHead (1).py"])
def test_separators_make_no_other_name(hand_in: HandIn, name: str) -> None:
    """Multi-head is written in every way."""
    assert "multihead.py" in texts(hand_in({name: "class MultiHeadAttention:\n    pass\n"}))


def test_the_exercises_own_file_wins(hand_in: HandIn) -> None:
    """The copy stays, is not renamed, and is said."""
    submission = hand_in({"heads.py": SPLIT, "heads (1).py": "def split_heads(): 1\n", "sub/Heads.py": SPLIT})

    assert {"heads.py", "heads (1).py", "sub/Heads.py"} == texts(submission).keys()
    assert SPLIT == texts(submission)["heads.py"]
    assert (
        "heads (1).py: heads.py was used for heads and not this; keep only the one that counts",
        "sub/Heads.py: heads.py was used for heads and not this; keep only the one that counts",
    ) == submission.notes


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (("heads (1).py", "heads (2).py", "heads (10).py"), "heads (10).py"),
        (("heads (3).py", "Heads.py"), "Heads.py"),
        (("heads copy.py", "heads-2.py"), "heads-2.py"),
        (("a/heads (3).py", "heads (2).py"), "heads (2).py"),
    ],
)
def test_the_closest_of_several_copies_is_used(hand_in: HandIn, names: tuple[str, ...], chosen: str) -> None:
    """Letter case alone, then nearest the top, then the highest number, which is the newest download."""
    submission = hand_in({name: f"def split_heads():\n    return {name!r}\n" for name in names})

    assert repr(chosen) in texts(submission)["heads.py"]
    assert f"{chosen} was used for heads and not this" in " ".join(submission.notes)


@pytest.mark.parametrize(
    ("name", "content", "other"),
    [
        ("heads_2.py", "def my_helper(): pass\n", "x = 1\n"),
        ("heads2.py", SPLIT, "x = 1\n"),
        ("heads_1.py", SPLIT, "from heads_1 import split_heads\n"),
        ("Heads.py", SPLIT, "import torch, Heads\n"),
        ("more_heads.py", SPLIT, "x = 1\n"),
        ("headstrong.py", SPLIT, "x = 1\n"),
        ("subheads.py", SPLIT, "x = 1\n"),
    ],
)
def test_somebodys_own_module_is_left_alone(hand_in: HandIn, name: str, content: str, other: str) -> None:
    """It defines no promised name, or is imported by its own, or has a name of its own."""
    submission = hand_in({name: content, "main.py": other})

    assert {name, "main.py"} == texts(submission).keys()
    assert () == submission.notes


def test_a_copy_that_does_not_parse_is_still_one(hand_in: HandIn) -> None:
    """Its syntax error is to be shown, and not that the file is missing."""
    assert "heads.py" in texts(hand_in({"heads (1).py": "def split_heads(x:\n    return x\n"}))


def test_another_exercise_of_a_similar_name_is_no_copy() -> None:
    """Every step of taking marks off is compared, so that an id that ends like a mark is found too."""
    assert is_named_after("heads_2 (1).py", "heads_2")
    assert is_named_after("heads_2.py", "heads")
    assert not is_named_after("heads.py", "heads_2")
