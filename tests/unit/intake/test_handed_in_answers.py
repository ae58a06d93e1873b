"""Predictions come with the code, as text."""

from pathlib import Path

import pytest
from handed_in import HandIn, Read, notebook, pack_zip

from grader.intake import reading
from grader.model.errors import SubmissionError

ANSWERS = "seed: 1\nanswers:\n  é: 2\n"


def test_answers_are_read_beside_code_in_every_wrapping(tmp_path: Path, hand_in: HandIn, read: Read) -> None:
    """In a folder, in a zip with a folder on top, in another encoding."""
    expected = hand_in({"heads.py": "x = 1\n", "heads.yaml": ANSWERS})
    wrapped = {"a/heads.py": b"x = 1\n", "a/heads.yaml": ANSWERS.replace("\n", "\r\n").encode("utf-8-sig")}
    (tmp_path / "work.zip").write_bytes(pack_zip(wrapped))

    zipped = read(tmp_path / "work.zip")

    assert [("heads.yaml", ANSWERS)] == [(file.path, file.text) for file in expected.answers]
    assert expected.answers == zipped.answers
    assert expected.sha256 == zipped.sha256


def test_other_answers_are_another_submission(hand_in: HandIn) -> None:
    """They decide a grade, so what was graded before is graded again."""
    one = hand_in({"heads.py": "x = 1\n", "heads.yaml": ANSWERS})
    other = hand_in({"heads.py": "x = 1\n", "heads.yaml": ANSWERS + "#"})

    assert one.sha256 != other.sha256


def test_other_yaml_is_nobodys_answers(hand_in: HandIn) -> None:
    """Only a file that is named after an exercise is read, and none changes what a submission without is."""
    plain = hand_in({"heads.py": "x = 1\n"})
    beside = hand_in({"heads.py": "x = 1\n", "config.yaml": "a: 1", ".heads.yaml": "a: 1"})

    assert () == beside.answers
    assert plain.sha256 == beside.sha256


def test_a_notebook_cell_may_write_them(tmp_path: Path, read: Read) -> None:
    """That is how a notebook hands predictions in; a file beside it counts before."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "all.ipynb").write_text(notebook("x = 1", f"%%writefile heads.yaml\n{ANSWERS}"))

    written = read(tmp_path / "work")
    (tmp_path / "work" / "heads.yaml").write_text("seed: 2\n")
    beside = read(tmp_path / "work")

    assert [("heads.yaml", ANSWERS.strip())] == [(file.path, file.text.strip()) for file in written.answers]
    assert "all.ipynb: heads.yaml was read from the cell that writes it" in written.notes
    assert ["seed: 2\n"] == [file.text for file in beside.answers]
    assert "heads.yaml: it was left out, because heads.yaml counts" in beside.notes


def test_the_file_nearest_the_top_counts(hand_in: HandIn) -> None:
    """And the other one is named."""
    read = hand_in({"heads.py": "", "old/heads.yml": "seed: 2\n", "heads.yaml": "seed: 1\n"})

    assert ["seed: 1\n"] == [file.text for file in read.answers]
    assert "old/heads.yml: it was left out, because heads.yaml counts" in read.notes


@pytest.mark.parametrize("name", ["heads (1).yaml", "Heads.yml", "heads-1.yaml", "heads copy.yaml"])
def test_a_name_that_a_browser_made_of_it_is_used(hand_in: HandIn, name: str) -> None:
    """As for code: downloading twice must not cost anything; a well named file counts before."""
    used = hand_in({"heads.py": "", name: "seed: 2\n"})
    beside = hand_in({"heads.py": "", name: "seed: 2\n", "heads.yaml": "seed: 1\n"})

    assert [("heads.yaml", "seed: 2\n")] == [(file.path, file.text) for file in used.answers]
    assert f"{name}: used as heads.yaml" in used.notes
    assert ["seed: 1\n"] == [file.text for file in beside.answers]


def test_answers_alone_are_a_submission(tmp_path: Path, read: Read) -> None:
    """Predictions count without code; other YAML by itself is nothing that can be handed in."""
    (tmp_path / "heads.yaml").write_text(ANSWERS, "utf-8")
    (tmp_path / "other.yaml").write_text(ANSWERS, "utf-8")

    alone = read(tmp_path / "heads.yaml")

    assert ["heads.yaml"] == [file.path for file in alone.answers]
    assert () == alone.notes
    with pytest.raises(SubmissionError, match=r"found a file that ends in \.yaml"):
        read(tmp_path / "other.yaml")


def test_what_is_too_large_is_refused(hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a reason, and the code counts."""
    monkeypatch.setattr(reading, "MAX_ANSWERS_BYTES", 10)

    read = hand_in({"heads.py": "x = 1\n", "heads.yaml": ANSWERS})

    assert () == read.answers
    assert ["heads.yaml"] == [file.path for file in read.unreadable]
    assert 1 == len(read.files)
