"""List what a zip holds, from its table of contents alone; nothing is ever unpacked to disk."""

import functools
import io
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

from grader.intake.limits import (
    MAX_DIRECTORY_BYTES,
    MAX_RATIO,
    RATIO_FREE_BYTES,
)
from grader.intake.listing import Found, Listing, Remark
from grader.intake.membership import (
    VIRTUAL_ENVIRONMENT_MARKERS,
    Role,
    clean_path,
    is_ignored_folder,
    role_of,
    show_path,
)
from grader.intake.refusal import Refused
from grader.intake.text import looks_japanese

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_STORED, _DEFLATED = 0, 8
_UNIX = 3
_DRIVE = re.compile(r"[A-Za-z]:")


@contextmanager
def open_archive(stream: BinaryIO, folder: str = "") -> Iterator[Listing]:
    """
    Yield what a zip holds; its files can be read until the block ends.

    Args:
        stream: The zip's bytes, seekable.
        folder: Path that stands for the zip in the submission; empty for the submission itself.

    Raises:
        Refused: If it is not a zip, or its table of contents is damaged or too large.
    """
    with open_zip(
        stream, MAX_DIRECTORY_BYTES, "one person's work, found a zip of tens of thousands of files"
    ) as archive:
        yield _list_archive(archive, folder)


def open_zip(stream: BinaryIO, longest: int, expected: str) -> "ZipFile":
    """
    Read a zip's table of contents.

    Args:
        stream: The zip's bytes, seekable.
        longest: Bytes that the table of contents may have.
        expected: What should be in there and what was found instead, to say so of one that is larger.

    Raises:
        Refused: If it is not a zip, or its table of contents is damaged or too large.
    """
    import zipfile  # with the compressors that it loads, a third of the time that a workspace takes to read

    # The table of contents is read in one, as long as the zip says that it is.
    reads = _ShortReads(stream, longest, expected)
    try:
        archive = zipfile.ZipFile(cast("BinaryIO", reads))
    except Refused:
        raise
    except Exception as error:  # noqa: BLE001 - the standard library raises many things over a broken zip
        raise Refused(
            f"expected a zip, found a file that cannot be read as one ({type(error).__name__}); make the zip again"
        ) from None
    reads.longest = None
    return archive


class _ShortReads(io.RawIOBase):
    """A stream that refuses a long read until told otherwise."""

    def __init__(self, stream: BinaryIO, longest: int, expected: str) -> None:
        self._stream = stream
        self.longest: int | None = longest
        self._expected = expected

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def read(self, size: int = -1, /) -> bytes:
        if self.longest is not None and size > self.longest:
            raise Refused(f"expected {self._expected}; hand in less")
        return self._stream.read(size)


def _list_archive(archive: "ZipFile", folder: str) -> Listing:
    listing = Listing()
    entries: list[tuple[ZipInfo, list[str]]] = []
    for entry in archive.infolist():
        raw_name = entry_name(entry)
        try:
            entries.append((entry, entry_parts(raw_name)))
        except Refused as refused:
            listing.refused.append(Remark(show_path(raw_name), str(refused)))
    list_entries(archive, entries, folder.split("/") if folder else [], listing)
    return listing


def list_entries(
    archive: "ZipFile", entries: Sequence[tuple["ZipInfo", list[str]]], base: list[str], listing: Listing
) -> None:
    """
    Add entries of a zip to a listing.

    Args:
        archive: The zip.
        entries: Each with the parts of its path from the folder that is listed.
        base: Parts of the path that this folder goes by.
        listing: Takes what can be read and what is refused.
    """
    installed = {
        tuple(parts[:depth])
        for _, parts in entries
        for depth in (len(parts) - 1, len(parts) - 2)
        if depth > 0 and parts[depth] in VIRTUAL_ENVIRONMENT_MARKERS
    }
    for entry, parts in entries:
        if any(is_ignored_folder(part) for part in parts[:-1]):
            continue
        if any(tuple(parts[:depth]) in installed for depth in range(1, len(parts))):
            continue
        try:
            _list_entry(archive, entry, base + parts, listing)
        except Refused as refused:
            listing.refused.append(Remark(show_path("/".join(base + parts)), str(refused)))


def entry_name(entry: "ZipInfo") -> str:
    """
    Return an entry's name as its maker meant it.

    Without the flag for UTF-8, ``zipfile`` takes names for code page 437. Archivers on macOS write UTF-8 without the
    flag, those on Japanese Windows CP932.
    """
    name = entry.orig_filename
    if entry.flag_bits & _UTF8_NAME or name.isascii():
        return name
    try:
        data = name.encode("cp437")
    except UnicodeEncodeError:
        return name
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        japanese = data.decode("cp932")
    except UnicodeDecodeError:
        return name
    return japanese if looks_japanese(japanese) else name


def entry_parts(name: str) -> list[str]:
    """Split a name at slashes; at backslashes too, because some archivers on Windows write those."""
    path = name.replace("\\", "/")
    if path.startswith("/") or _DRIVE.match(path):
        raise Refused("expected a path inside the zip, found an absolute one; make the zip again from the folder")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refused("its path leaves the zip's folder; make the zip again from the folder")
    return parts


def is_link(entry: "ZipInfo") -> bool:
    """Whether an entry is a symbolic link."""
    return _file_type(entry) == stat.S_IFLNK


def is_folder(entry: "ZipInfo") -> bool:
    """Whether an entry is a folder."""
    return entry.orig_filename.endswith(("/", "\\")) or _file_type(entry) == stat.S_IFDIR


def _file_type(entry: "ZipInfo") -> int:
    return stat.S_IFMT(entry.external_attr >> 16) if entry.create_system == _UNIX else 0


def _list_entry(archive: "ZipFile", entry: "ZipInfo", parts: list[str], listing: Listing) -> None:
    if not parts:
        return
    role = role_of(parts[-1])
    if parts[-1].startswith(".") and role is not Role.SETTINGS:
        return
    if is_link(entry):
        raise Refused("it is a link, and links are not followed; put the file itself into the zip")
    if is_folder(entry):
        return
    if role is Role.OTHER:
        listing.others.append("/".join(parts))
        return
    path = clean_path(parts)
    if _file_type(entry) not in (0, stat.S_IFREG):
        raise Refused("expected an ordinary file, found a device or a pipe; put the file itself into the zip")
    if entry.flag_bits & _ENCRYPTED:
        raise Refused("it is encrypted; make the zip again without a password")
    if entry.compress_type not in (_STORED, _DEFLATED):
        raise Refused("it is packed in an unusual way; make the zip again with ordinary compression")
    if entry.file_size > max(RATIO_FREE_BYTES, MAX_RATIO * entry.compress_size):
        raise Refused(
            f"it would unpack to more than {MAX_RATIO} times its size; make the zip again with your own files"
        )
    listing.put(Found(path, entry.file_size, functools.partial(read_entry, archive, entry)), role)


def read_entry(archive: "ZipFile", entry: "ZipInfo", most: int) -> bytes:
    """Return that many bytes of an entry at most; raises ``Refused`` if it is damaged."""
    try:
        with archive.open(entry) as stream:
            return stream.read(most)
    except Exception as error:  # noqa: BLE001 - the standard library raises many things over a broken zip
        raise Refused(f"it is damaged in the zip ({type(error).__name__}); make the zip again") from None
