"""What one person hands in becomes a submission, whatever it is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from handed_in import PROMISES, HandIn, HandInZip, Read, notebook, pack_zip, reasons, texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.intake import reading, sources
from grader.intake.reading import read_submission
from grader.model.errors import SubmissionError
from grader.model.submission import FileKind, Submission


def test_the_same_work_is_the_same_submission_in_every_wrapping(tmp_path: Path, hand_in: HandIn, read: Read) -> None:
    """Folder, zip, extra folders on top, line ends and encodings: one digest, so that nothing is graded twice."""
    code = {"heads.py": "x = 'é'\n", "lib/helper.py": "y = 2\n"}
    digest = hand_in(code).sha256
    wrapped = {f"a/b b/{name}": text.replace("\n", "\r\n").encode("utf-16") for name, text in code.items()}

    for number, data in enumerate([pack_zip(code), pack_zip(wrapped), pack_zip({"w.zip": pack_zip(code)})]):
        (tmp_path / f"{number}.zip").write_bytes(data)
        assert digest == read(tmp_path / f"{number}.zip").sha256


def test_single_files_are_a_submission(tmp_path: Path, read: Read) -> None:
    """One module, one notebook, or several of both, from one folder or many."""
    for name, content in {
        "a/heads.py": "x = 1\n",
        "b/masking.py": "y = 2\n",
        "a/work.ipynb": notebook("z = 3"),
    }.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(content)
    heads, masking, work = tmp_path / "a/heads.py", tmp_path / "b/masking.py", tmp_path / "a/work.ipynb"

    assert ("heads.py", {"heads.py": "x = 1\n"}) == (read(heads).id, texts(read(heads)))
    assert [FileKind.NOTEBOOK] == [file.kind for file in read(work).files]
    assert {"heads.py", "work.ipynb"} == texts(read(heads, work, heads)).keys()
    assert {"a/heads.py", "b/masking.py"} == texts(read(heads, masking)).keys()
    assert "heads.py and 1 more" == read(heads, masking).id


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent", "there is no such file or folder"),
        ("absent.py", "there is no such file or folder"),
        ("heads.py/x", "it cannot be looked at"),
        ("nul\0.py", "it cannot be looked at"),
        ("notes.txt", "found a file that ends in .txt"),
        ("noend", "found another file"),
        ("work.tar.gz", "found a file that ends in .gz"),
        ("heads.py.txt", "found a file that ends in .txt; rename it to heads.py"),
        ("pipe.py", "found a device or a pipe"),
    ],
)
def test_what_cannot_be_a_submission_is_wrong_usage(tmp_path: Path, read: Read, name: str, message: str) -> None:
    """The person at the keyboard can mend it at once, so that it is no report."""
    for existing in ("heads.py", "notes.txt", "noend", "work.tar.gz", "heads.py.txt"):
        (tmp_path / existing).touch()
    os.mkfifo(tmp_path / "pipe.py")

    with pytest.raises(SubmissionError, match=message):
        read(tmp_path / name)


def test_several_paths_must_be_files(tmp_path: Path, read: Read) -> None:
    """Two folders are two people's work, or one whole and its part."""
    (tmp_path / "heads.py").touch()
    (tmp_path / "a").mkdir()

    with pytest.raises(SubmissionError, match="found a folder beside other paths"):
        read(tmp_path / "heads.py", tmp_path / "a")
    with pytest.raises(SubmissionError, match="nothing was named"):
        read()


def test_an_empty_folder_says_what_was_expected(hand_in: HandIn) -> None:
    """Its report is one of missing names, with the reason beside it."""
    submission = hand_in({"notes.txt": "hi"})

    assert () == submission.files
    assert (
        "my attention: no .py or .ipynb file was found among notes.txt; expected a folder, a .zip, "
        "a notebook (.ipynb), or one or several .py files",
    ) == submission.notes


def test_an_empty_exercise_file_is_worth_a_word(hand_in: HandIn) -> None:
    """Somebody forgot to save; an empty ``__init__.py`` is ordinary."""
    submission = hand_in({"heads.py": "", "pkg/__init__.py": ""})

    assert ("heads.py: the file is empty; check that it was saved",) == submission.notes


@pytest.mark.parametrize(
    ("extra", "top"),
    [
        ({}, ""),
        ({"hw/__init__.py": ""}, "hw/"),
        ({"hw/main.py": "from hw.heads import x\n"}, "hw/"),
        ({"hw/main.ipynb": notebook("import hw.heads")}, "hw/"),
        ({"hw/main.py": "import hwx\n# from hw.x\n"}, ""),
        ({"other.py": ""}, "hw/"),
        ({"README.md": ""}, ""),
    ],
)
def test_an_extra_folder_on_top_is_taken_off_unless_code_needs_it(
    hand_in: HandIn, extra: dict[str, str], top: str
) -> None:
    """A package, or a folder that is imported from by name, has to stay where it is."""
    paths = texts(hand_in({"hw/heads.py": "x = 1\n", "hw/lib/a.py": ""} | extra)).keys()

    assert {f"{top}heads.py", f"{top}lib/a.py"} <= paths


def test_reasons_and_notes_name_the_paths_that_the_report_uses(hand_in: HandIn) -> None:
    """Without the folders that were taken off."""
    submission = hand_in({"hw/heads.py": "x = 1\0", "hw/masking.py": "# größe\n".encode("latin-1")})

    assert {"heads.py"} == reasons(submission).keys()
    assert submission.notes[0].startswith("masking.py: it is not UTF-8 and was read as Latin-1")
    assert ["latin-1"] == [file.encoding for file in submission.files]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("!pip install torch\nx = 1\n", "pass\nx = 1\n"),
        ("get_ipython().run_line_magic('matplotlib', 'inline')\nx = 1\n", "pass\nx = 1\n"),
    ],
)
def test_a_notebook_saved_as_a_script_runs(hand_in: HandIn, script: str, expected: str) -> None:
    """Notebook services leave their magics in it, and one such line would lose the whole file."""
    submission = hand_in({"heads.py": script})

    assert {"heads.py": expected} == texts(submission)
    assert "heads.py: graded without its notebook magics, which only IPython can run" in submission.notes


def test_a_module_that_a_cell_writes_is_read(hand_in: HandIn) -> None:
    """Unless it was handed in, or is no module."""
    cells = notebook("%%writefile heads.py\nx = 1", "%%writefile -a heads.py\ny = 2", "%%writefile ../evil.py\nz")

    alone = hand_in({"n.ipynb": cells})
    beside = hand_in({"n.ipynb": cells, "heads.py": "mine = 1\n"})

    assert "x = 1\ny = 2\n" == texts(alone)["heads.py"]
    assert {"n.ipynb", "heads.py"} == texts(alone).keys()
    assert "n.ipynb: the file '../evil.py' that a cell writes was left out" in alone.notes
    assert "mine = 1\n" == texts(beside)["heads.py"]
    assert "n.ipynb: a cell writes heads.py, but the heads.py that was handed in counts" in beside.notes


def test_a_module_that_was_handed_in_beside_a_cell_that_writes_it_counts(hand_in: HandIn) -> None:
    """Also where it is read after the notebook."""
    submission = hand_in({"n.ipynb": notebook("%%writefile z.py\nx = 1"), "z.py": "mine = 1\n"})

    assert "mine = 1\n" == texts(submission)["z.py"]
    assert 2 == len(submission.files)


def test_files_named_after_exercises_are_read_first(hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder full of other things must not push the work out."""
    monkeypatch.setattr(reading, "MAX_FILES", 3)

    submission = hand_in({f"a{number}.py": "" for number in range(5)} | {"z/heads.py": "", "z/y/masking.py": ""})

    assert {"z/heads.py", "z/y/masking.py", "a0.py"} == texts(submission).keys()
    assert "only 3 source files are read" in reasons(submission)["a1.py"]


def test_what_is_read_is_bounded_in_all(hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many files of allowed size are still too much, in bytes and in code."""
    files = {"heads.py": "#" * 600, "masking.py": "#" * 600}
    monkeypatch.setattr(sources, "MAX_TOTAL_CODE", 1000)
    assert "more code than can be read in all" in reasons(hand_in(files))["masking.py"]
    monkeypatch.setattr(reading, "MAX_TOTAL_BYTES", 1000)
    assert "more than can be read in all" in reasons(hand_in(files))["masking.py"]


def test_a_file_too_large_is_refused_and_the_rest_counts(hand_in: HandIn) -> None:
    """With what to do about it."""
    submission = hand_in({"heads.py": "#" * 2_000_000, "masking.py": "x = 1\n"})

    assert {"masking.py"} == texts(submission).keys()
    assert (
        "it holds more than the 1.0 MiB that are read; move data out of it and hand it in again"
        == reasons(submission)["heads.py"]
    )


def test_a_thousand_bad_entries_are_fifty_lines(hand_in_zip: HandInZip) -> None:
    """More would hide what matters; the last line says how many there are."""
    submission = hand_in_zip(pack_zip({f"../{number}.py": "" for number in range(1000)}))

    assert 51 == len(submission.unreadable)
    assert "(and 949 more cannot be used either; hand in only your own work)" in submission.unreadable[-1].reason


def test_reading_a_workspace_loads_nothing_heavy(hand_in: HandIn, tmp_path: Path) -> None:
    """Watch mode reads at every save, and `grade check` while torch is still being loaded elsewhere."""
    hand_in({f"{name}.py": "def f(x):\n    return x\n" * 200 for name in ("heads", "masking", "multihead", "a", "b")})
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom grader.intake.reading import read_submission\n"
        "from grader.intake.locate import locate_entries\n"
        f"promises = {PROMISES!r}\n"
        f"folder = Path({str(tmp_path / 'my attention')!r})\n"
        "s = read_submission([folder], exercise_ids=tuple(promises), promises=promises)\n"
        "locate_entries(s, promises)\n"
        "print(len(s.files), sorted({'torch', 'nbformat', 'IPython', 'pytest', 'numpy'} & set(sys.modules)))\n"
    )

    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)

    assert "5 []\n" == run.stdout


JUNK = st.dictionaries(
    st.sampled_from(["heads.py", "Heads.py", "heads (1).py", "n.ipynb", "a/b.py", "c.zip", "pyproject.toml", "x.txt"]),
    st.binary(max_size=60)
    | st.sampled_from(
        [notebook("!x\ny = 1").encode(), "x = '頭'\n".encode("cp932"), pack_zip({"d/e.py": "x"}), b"%x\n"]
    ),
    max_size=5,
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JUNK, st.booleans())
def test_anything_becomes_a_submission(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], zipped: bool
) -> None:
    """Never an exception, and always something that can be stored and found again under the same digest."""
    root = tmp_path_factory.mktemp("junk") / "work"
    if zipped:
        root = root.with_suffix(".zip")
        root.write_bytes(pack_zip(files))
    else:
        for name, data in files.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        root.mkdir(exist_ok=True)

    submission = read_submission([root], exercise_ids=tuple(PROMISES), promises=PROMISES)

    assert submission == Submission.model_validate_json(submission.model_dump_json())
    lines = [*submission.notes, *(file.reason for file in submission.unreadable)]
    assert not any("\n" in line for line in lines)
    named = {file.path for file in submission.files} | {file.path for file in submission.unreadable}
    assert bool(named) or "no .py or .ipynb file was found" in submission.notes[-1]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400))
def test_any_bytes_called_a_zip_become_a_submission(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """With or without a zip's beginning and end."""
    file = tmp_path_factory.mktemp("junk") / "work.zip"
    for content in (data, b"PK\3\4" + data, data + b"PK\5\6" + data[:18].ljust(18, b"\0")):
        file.write_bytes(content)

        submission = read_submission([file], exercise_ids=tuple(PROMISES), promises=PROMISES)

        assert () == submission.files
