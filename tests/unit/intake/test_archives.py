"""A zip is judged by its table of contents, read within bounds, and never unpacked."""

import io
import os
import stat
import struct
import zipfile

import pytest
from handed_in import HandInZip, notebook, pack_zip, reasons, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake.archives import open_archive
from grader.intake.limits import MAX_CODE_BYTES
from grader.intake.listing import read_found
from grader.intake.refusal import Refused


def pack_entry(name: str, content: bytes = b"x = 1\n", **fields: int) -> bytes:
    """Return a zip of one entry with these fields of its table of contents."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        entry = zipfile.ZipInfo("x")
        entry.filename = name
        for field, value in fields.items():
            setattr(entry, field, value)
        archive.writestr(entry, content, fields.get("compress_type", zipfile.ZIP_DEFLATED))
    return stream.getvalue()


def test_a_workspace_in_a_zip_reads_like_the_folder(hand_in_zip: HandInZip) -> None:
    """An extra folder on top, and what systems put beside it, make no difference."""
    data = pack_zip(
        {
            "my work/": "",
            "my work/heads.py": "x = 1\r\n",
            "my work/helpers/shapes.py": "y = 2\n",
            "my work/README.md": "not read",
            "__MACOSX/my work/._heads.py": b"\0\0",
            "my work/.ipynb_checkpoints/heads-checkpoint.py": "old",
            "my work/__pycache__/heads.cpython-311.pyc": b"\0",
            "my work/venv/pyvenv.cfg": "",
            "my work/venv/lib/x.py": "not mine",
            "my work/.DS_Store": b"\0",
        }
    )

    submission = hand_in_zip(data)

    assert {"heads.py": "x = 1\n", "helpers/shapes.py": "y = 2\n"} == texts(submission)
    assert ((), (), ()) == (submission.unreadable, submission.notes, submission.flags)


def test_a_zip_in_a_zip_is_opened_and_one_in_that_is_not(hand_in_zip: HandInZip) -> None:
    """Learning platforms zip what people have zipped; more than that is a bomb or a muddle."""
    inner = pack_zip({"heads.py": "x = 1\n"})

    assert {"heads.py": "x = 1\n"} == texts(hand_in_zip(pack_zip({"hand in/work.zip": inner, "note.txt": "hi"})))
    deep = hand_in_zip(pack_zip({"a.zip": pack_zip({"b.zip": inner})}))
    assert {} == texts(deep)
    assert {"a/b.zip": "it is a zip in a zip in another; hand in the inner one"} == reasons(deep)


def test_a_zip_beside_sources_is_luggage(hand_in_zip: HandInZip) -> None:
    """A backup in the workspace must not compete with the work."""
    submission = hand_in_zip(pack_zip({"heads.py": "x = 1\n", "old.zip": pack_zip({"masking.py": "old"})}))

    assert {"heads.py": "x = 1\n"} == texts(submission)
    assert submission.notes[0].startswith("old.zip: it was not opened because there are source files beside it")


def test_windows_paths_are_folders(hand_in_zip: HandInZip) -> None:
    """Some archivers on Windows write backslashes; nothing is unpacked, so they can mean what they were meant to."""
    assert {"heads.py", "helpers/shapes.py"} == texts(
        hand_in_zip(pack_zip({"ws\\heads.py": "", "ws\\helpers\\shapes.py": ""}))
    ).keys()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../heads.py", "its path leaves the zip's folder"),
        ("a/../../heads.py", "its path leaves the zip's folder"),
        ("a\\..\\heads.py", "its path leaves the zip's folder"),
        ("/etc/heads.py", "found an absolute one"),
        ("\\\\server\\heads.py", "found an absolute one"),
        ("C:\\heads.py", "found an absolute one"),
        ("c:heads.py", "found an absolute one"),
        ("heads\n.py", "characters that cannot be shown"),
        ("heads\u202eyp.py", "characters that cannot be shown"),
        ("\x1b[2Jheads.py", "characters that cannot be shown"),
        ("/".join("abcdefghijklmnop") + "/heads.py", "more than 12 folders deep"),
        ("a" * 500 + ".py", "more than 400 characters"),
    ],
)
def test_odd_paths_are_refused(hand_in_zip: HandInZip, name: str, reason: str) -> None:
    """Each with its reason, and the file beside it still counts."""
    stream = io.BytesIO(pack_entry(name))
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("masking.py", "x = 1\n")

    submission = hand_in_zip(stream.getvalue())

    assert "x = 1\n" in texts(submission).values()
    assert 1 == len(submission.files)
    assert reason in next(iter(reasons(submission).values()))
    assert next(iter(reasons(submission))).isprintable()


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (stat.S_IFLNK, "it is a link"),
        (stat.S_IFIFO, "found a device or a pipe"),
        (stat.S_IFCHR, "found a device or a pipe"),
    ],
)
def test_links_and_devices_are_refused(hand_in_zip: HandInZip, kind: int, reason: str) -> None:
    """A link in a zip names a file of the grading machine."""
    data = pack_entry("heads.py", b"/etc/passwd", create_system=3, external_attr=(kind | 0o777) << 16)

    submission = hand_in_zip(data)

    assert () == submission.files
    assert reason in reasons(submission)["heads.py"]


@pytest.mark.parametrize(
    ("first", "second"),
    [("heads.py", "heads.py"), ("heads.py", "Heads.py"), ("a/é.py", "A/e\u0301.py"), ("straße.py", "STRASSE.py")],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_are_one_to_some_systems_are_refused_together(
    hand_in_zip: HandInZip, first: str, second: str
) -> None:
    """Two readers of such a zip see two different submissions, so neither file can count."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(first, "x = 1\n")
        archive.writestr(second, "x = 2\n")

    submission = hand_in_zip(stream.getvalue())

    assert () == submission.files
    assert len({first, second}) == len(submission.unreadable)
    for reason in reasons(submission).values():
        assert "found 2 files that are one to some systems" in reason
        assert f"“{first}”" in reason


def test_encrypted_entries_are_refused(hand_in_zip: HandInZip) -> None:
    """There is nobody to ask for the password."""
    data = bytearray(pack_entry("heads.py"))
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(signature) + offset] |= 1

    assert "it is encrypted" in reasons(hand_in_zip(bytes(data)))["heads.py"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_compression_is_refused(hand_in_zip: HandInZip, method: int) -> None:
    """Its decompressors cannot be told to stop, so that a few bytes could fill the memory."""
    assert "packed in an unusual way" in reasons(hand_in_zip(pack_entry("heads.py", compress_type=method)))["heads.py"]


@pytest.mark.parametrize(
    ("name", "encoding"), [("課題/heads.py", "utf-8"), ("課題の答え/heads.py", "cp932"), ("Übung/heads.py", "cp437")]
)
def test_names_without_the_flag_for_utf_8_are_read_as_they_were_meant(
    hand_in_zip: HandInZip, name: str, encoding: str
) -> None:
    """macOS writes UTF-8 without saying so, Windows the code page of its country."""
    stand_in = "N" * (len(name.encode(encoding)) - len("/heads.py")) + "/heads.py"
    data = pack_zip({stand_in: "x = 1\n", "masking.py": "y = 2\n"})
    data = data.replace(stand_in.encode(), name.encode(encoding))

    assert {name: "x = 1\n", "masking.py": "y = 2\n"} == texts(hand_in_zip(data))


def test_a_bomb_is_refused_before_it_is_read(hand_in_zip: HandInZip) -> None:
    """By its ratio, and by its size."""
    ratio = hand_in_zip(pack_zip({"heads.py": b"#" * 900_000}))
    size = hand_in_zip(pack_zip({"heads.py": os.urandom(600_000).hex()}))

    assert "it would unpack to more than 200 times its size" in reasons(ratio)["heads.py"]
    assert "it holds more than the 1.0 MiB that are read" in reasons(size)["heads.py"]


def test_a_lie_about_the_size_does_not_help() -> None:
    """The table of contents is only what the zip says; reading stops at the limit and sees the damage."""
    content = b"".join(b"%d\n" % number for number in range(400_000))
    assert len(content) > 2 * MAX_CODE_BYTES
    data = bytearray(pack_zip({"heads.py": content}))
    size_field = data.index(b"PK\1\2") + 24
    data[size_field : size_field + 4] = struct.pack("<I", 100)

    with open_archive(io.BytesIO(bytes(data))) as listing:
        assert 100 == listing.sources[0].size
        with pytest.raises(Refused, match="it is damaged in the zip"):
            read_found(listing.sources[0], MAX_CODE_BYTES)


def test_damage_is_refused_and_the_rest_counts(hand_in_zip: HandInZip) -> None:
    """An upload that broke off, or a disk that flipped a bit."""
    data = bytearray(pack_zip({"heads.py": "x = 1\n" * 99, "masking.py": "y = 2\n"}))
    data[data.index(b"heads.py") + 12] ^= 0xFF

    submission = hand_in_zip(bytes(data))

    assert {"masking.py": "y = 2\n"} == texts(submission)
    assert "it is damaged in the zip" in reasons(submission)["heads.py"]


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"not a zip at all", pack_zip({"heads.py": "x = 1\n" * 99})[:-40]],
    ids=["empty", "two letters", "text", "broken off"],
)
def test_what_is_no_zip_is_said(hand_in_zip: HandInZip, data: bytes) -> None:
    """Wrong ending, or cut short: a report with the reason, not a crash."""
    assert "expected a zip, found a file that cannot be read as one" in reasons(hand_in_zip(data))["work.zip"]


def test_a_huge_table_of_contents_is_not_read(hand_in_zip: HandInZip) -> None:
    """Each entry costs ten times its bytes in memory, whether it is source or not."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(70):
            entry = zipfile.ZipInfo(f"{number}")
            entry.comment = bytes(65_535)
            archive.writestr(entry, b"")

    submission = hand_in_zip(stream.getvalue())

    assert "found a zip of tens of thousands of files" in reasons(submission)["work.zip"]


def test_large_notebooks_in_a_zip_are_read(hand_in_zip: HandInZip) -> None:
    """The bound on the table of contents is none on the files, stored ones included."""
    content = notebook("x = 1").replace('"outputs": []', f'"outputs": ["{os.urandom(3_000_000).hex()}"]')
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("attention.ipynb", content)

    assert {"attention.ipynb": "x = 1"} == texts(hand_in_zip(stream.getvalue()))


SEED = pack_zip({"heads.py": "x = 1\n" * 20, "a/b.ipynb": notebook("y = 2"), "c.zip": pack_zip({"d.py": "z = 3\n"})})


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(SEED) - 1), st.integers(0, 255)), min_size=1, max_size=12))
def test_a_zip_with_any_bytes_changed_is_read_or_refused(changes: list[tuple[int, int]]) -> None:
    """Never an exception of the standard library's."""
    data = bytearray(SEED)
    for position, value in changes:
        data[position] = value
    try:
        with open_archive(io.BytesIO(bytes(data))) as listing:
            for found in [*listing.sources, *listing.archives]:
                assert ".." not in found.path.split("/")
                assert not found.path.startswith("/")
                read_found(found, MAX_CODE_BYTES)
    except Refused as refused:
        answer = str(refused)
    else:
        answer = ""

    assert "\n" not in answer


NAMES = st.text(
    st.sampled_from("ab./\\:Hé課\n\u202e") | st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(NAMES | NAMES.map(lambda name: f"{name}.py"), st.binary(max_size=40), max_size=6))
def test_any_names_in_a_zip_become_clean_paths(files: dict[str, bytes]) -> None:
    """Each path stays inside, can be shown, and stands once."""
    stream = io.BytesIO(pack_zip({name.replace("\0", "0"): data for name, data in files.items()}))
    with open_archive(stream) as listing:
        for found in listing.sources:
            parts = found.path.split("/")
            assert not {"", ".", ".."} & set(parts)
            assert not any(ord(letter) < 32 or letter == "\\" for letter in found.path)
