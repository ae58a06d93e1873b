"""Look into a class's folder or archive: what lies where, and one person's part of it as a listing."""

import os
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from grader.intake.archives import (
    entry_name,
    entry_parts,
    is_folder,
    is_link,
    list_entries,
    open_zip,
    read_entry,
)
from grader.intake.folders import LINK, found_on_disk, list_folder, open_ordinary
from grader.intake.limits import MAX_CLASS_DIRECTORY_BYTES, MAX_CLASS_ENTRIES, MAX_CLASS_STUDENTS
from grader.intake.listing import Found, Listing, Remark
from grader.intake.membership import Role, clean_path, is_ignored_folder, role_of, show_path
from grader.intake.refusal import Refused, refuse_if_larger
from grader.model.errors import SubmissionError

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

_JUNK = frozenset({"thumbs.db", "desktop.ini"})


class Kind(Enum):
    """What an entry of a class's folder is."""

    FOLDER = auto()
    FILE = auto()
    LINK = auto()
    """Never followed."""


class Entry(NamedTuple):
    """Something in a folder of the class."""

    path: str
    """From the class's root, as the disk or the archive writes it."""
    kind: Kind

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


class ClassTree(Protocol):
    """A class's folder or archive, of which nothing is written to the disk."""

    name: str
    """What it is called, without ``.zip``."""
    refused: list[Remark]
    """What belongs to nobody because of its name."""

    def entries(self, folder: str = "") -> list[Entry]:
        """Return what lies in a folder, by name, without what systems and tools leave there."""
        ...

    def has(self, path: str) -> bool:
        """Whether there is a file or folder of this path, hidden ones included."""
        ...

    def read(self, path: str, limit: int) -> bytes:
        """Return a file's bytes; raises ``Refused`` if it is larger or cannot be read."""
        ...

    def put(self, path: str, name: str, listing: Listing) -> None:
        """
        Add a file or all that is in a folder to a listing.

        Args:
            path: What is added.
            name: What the file is called in the listing, or the folder that a folder's content is put into.
            listing: Takes what can be read, and what is refused.
        """
        ...

    def close(self) -> None:
        """Let go of the archive."""
        ...


def open_tree(source: Path) -> ClassTree:
    """
    Open a class's folder or archive.

    Raises:
        SubmissionError: If it is neither, or cannot be read.
    """
    try:
        if source.is_dir():
            return _FolderTree(source)
        if source.suffix.lower() == ".zip" and source.is_file():
            return _ZipTree(source)
    except Refused as refused:
        raise SubmissionError(f"{source}: {refused}") from None
    except (OSError, ValueError) as error:
        raise SubmissionError(f"{source}: it cannot be opened ({getattr(error, 'strerror', '') or error})") from None
    found = "found another file" if source.exists() else "there is no such file or folder"
    raise SubmissionError(f"{source}: {found}; expected a folder or a .zip of what a class handed in")


def _is_junk(name: str) -> bool:
    return is_ignored_folder(name) or name.lower() in _JUNK


def _is_showable(path: str) -> bool:
    try:
        clean_path(path.split("/"))
    except Refused:
        return False
    return True


class _FolderTree:
    def __init__(self, root: Path) -> None:
        self._root = root
        self.name = os.path.basename(os.path.abspath(root))
        self.refused: list[Remark] = []
        self._listed: dict[str, list[Entry]] = {}

    def entries(self, folder: str = "") -> list[Entry]:
        # Each layout looks, and a class has thousands of entries.
        if folder not in self._listed:
            self._listed[folder] = self._list(folder)
        return list(self._listed[folder])

    def _list(self, folder: str) -> list[Entry]:
        place = self._root / folder
        if folder and place.is_symlink():
            return []
        found: list[Entry] = []
        try:
            with os.scandir(place) as inside:
                for entry in inside:
                    if len(found) == MAX_CLASS_STUDENTS:
                        raise SubmissionError(
                            f"{place}: expected a class, found more than {MAX_CLASS_STUDENTS:,} files and folders"
                        )
                    if not _is_junk(entry.name):
                        found += self._entry(entry, f"{folder}/{entry.name}" if folder else entry.name)
        except OSError as error:
            self.refused.append(Remark(show_path(folder) or self.name, _cannot_open(error)))
        return sorted(found, key=lambda entry: entry.path)

    def _entry(self, entry: "os.DirEntry[str]", path: str) -> Iterable[Entry]:
        if not _is_showable(path):
            reason = "its name holds characters that cannot be shown, or is too long; rename it"
            self.refused.append(Remark(show_path(path), reason))
        elif entry.is_symlink():
            yield Entry(path, Kind.LINK)
        else:
            yield Entry(path, Kind.FOLDER if entry.is_dir(follow_symlinks=False) else Kind.FILE)

    def has(self, path: str) -> bool:
        return (self._root / path).exists()

    def read(self, path: str, limit: int) -> bytes:
        try:
            self._refuse_links(path)
            with open_ordinary(self._root / path) as stream:
                data = stream.read(limit + 1)
        except OSError as error:
            raise Refused(_cannot_open(error)) from None
        refuse_if_larger(len(data), limit, "make it smaller")
        return data

    def put(self, path: str, name: str, listing: Listing) -> None:
        shown = name or show_path(path.rpartition("/")[2])
        try:
            self._refuse_links(path)
            place = self._root / path
            if place.is_dir():
                _put_below(name, list_folder(place), listing)
            else:
                _put_file(found_on_disk(place, clean_path(shown.split("/"))), listing)
        except Refused as refused:
            listing.refused.append(Remark(shown, str(refused)))
        except OSError as error:
            listing.refused.append(Remark(shown, _cannot_open(error)))

    def _refuse_links(self, path: str) -> None:
        """Refuse a path that leads out of the class, however it got there."""
        place = self._root
        for part in path.split("/"):
            if part in ("", ".", ".."):
                raise Refused("its path leaves the class's folder")
            place = place / part
            if place.is_symlink():
                raise Refused(LINK)

    def close(self) -> None:
        pass


class _ZipTree:
    def __init__(self, source: Path) -> None:
        self.name = source.stem
        self.refused: list[Remark] = []
        self._stream = open_ordinary(source)
        try:
            self._archive: ZipFile = open_zip(
                self._stream,
                MAX_CLASS_DIRECTORY_BYTES,
                f"a class, found a zip of more than {MAX_CLASS_ENTRIES:,} files",
            )
            if len(self._archive.filelist) > MAX_CLASS_ENTRIES:
                raise Refused(f"expected a class, found a zip of more than {MAX_CLASS_ENTRIES:,} files")
        except BaseException:
            self._stream.close()
            raise
        self._children: dict[str, dict[str, Kind]] = {"": {}}
        self._listed: dict[str, list[Entry]] = {}
        self._index()

    def _index(self) -> None:
        """Sort the table of contents, so that a folder's part of it is found at once however large the class is."""
        members: list[tuple[tuple[str, ...], ZipInfo]] = []
        leaving: list[tuple[tuple[str, ...], Remark]] = []
        for info in self._archive.filelist:
            raw = entry_name(info)
            try:
                parts = entry_parts(raw)
            except Refused as refused:
                # A path such as ``ann/../../x.py`` is the report of the student in whose folder it begins.
                inside = _parts_before_leaving(raw)
                remark = Remark(show_path(raw), str(refused))
                if inside:
                    leaving.append((inside, remark))
                else:
                    self.refused.append(remark)
                continue
            if not parts:
                continue
            members.append((tuple(parts), info))
            self._add_children(parts, info)
        self._members = sorted(members, key=lambda member: member[0])
        self._keys = [parts for parts, _ in self._members]
        self._leaving = sorted(leaving)
        self._leaving_keys = [parts for parts, _ in self._leaving]

    def _add_children(self, parts: Sequence[str], info: "ZipInfo") -> None:
        folder = ""
        for part in parts[:-1]:
            if _is_junk(part):
                return
            self._children[folder][part] = Kind.FOLDER
            folder = f"{folder}/{part}" if folder else part
            self._children.setdefault(folder, {})
        name = parts[-1]
        if _is_junk(name):
            return
        if is_folder(info):
            self._children[folder][name] = Kind.FOLDER
            self._children.setdefault(f"{folder}/{name}" if folder else name, {})
        else:
            self._children[folder].setdefault(name, Kind.LINK if is_link(info) else Kind.FILE)

    def entries(self, folder: str = "") -> list[Entry]:
        if folder not in self._listed:
            self._listed[folder] = self._list(folder)
        return list(self._listed[folder])

    def _list(self, folder: str) -> list[Entry]:
        children = self._children.get(folder, {})
        if len(children) > MAX_CLASS_STUDENTS:
            raise SubmissionError(
                f"{self.name}: expected a class, found more than {MAX_CLASS_STUDENTS:,} files and folders"
            )
        found: list[Entry] = []
        for name, kind in children.items():
            path = f"{folder}/{name}" if folder else name
            if _is_showable(path):
                found.append(Entry(path, kind))
            else:
                reason = "its name holds characters that cannot be shown, or is too long; rename it"
                self.refused.append(Remark(show_path(path), reason))
        return sorted(found, key=lambda entry: entry.path)

    def has(self, path: str) -> bool:
        key = tuple(path.split("/"))
        at = bisect_left(self._keys, key)
        return at < len(self._keys) and self._keys[at][: len(key)] == key

    def read(self, path: str, limit: int) -> bytes:
        for parts, info in self._below(tuple(path.split("/"))):
            if "/".join(parts) == path and not is_folder(info) and not is_link(info):
                refuse_if_larger(info.file_size, limit, "make it smaller")
                data = read_entry(self._archive, info, limit + 1)
                refuse_if_larger(len(data), limit, "make it smaller")
                return data
        raise Refused("there is no such file in the zip")

    def put(self, path: str, name: str, listing: Listing) -> None:
        key = tuple(path.split("/"))
        found = list(self._below(key))
        base = name.split("/") if name else []
        own = [(info, base or [key[-1]]) for parts, info in found if parts == key and not is_folder(info)]
        inside = [(info, list(parts[len(key) :])) for parts, info in found if len(parts) > len(key)]
        list_entries(self._archive, own, [], listing)
        below = Listing()
        list_entries(self._archive, inside, [], below)
        _put_below(name, below, listing)
        at = bisect_left(self._leaving_keys, key)
        while at < len(self._leaving) and self._leaving_keys[at][: len(key)] == key:
            listing.refused.append(self._leaving[at][1])
            at += 1
        if not found and not listing.refused:
            listing.refused.append(Remark(show_path(path), "it is no longer in the zip; hand it in again"))

    def _below(self, key: tuple[str, ...]) -> Iterable[tuple[tuple[str, ...], "ZipInfo"]]:
        at = bisect_left(self._keys, key)
        while at < len(self._keys) and self._keys[at][: len(key)] == key:
            yield self._members[at]
            at += 1

    def close(self) -> None:
        self._archive.close()
        self._stream.close()


def _put_below(folder: str, found: Listing, listing: Listing) -> None:
    """Add what was found in a folder, under the path that the folder goes by."""
    if folder:
        for files in (found.sources, found.archives, found.answers, found.settings):
            files[:] = [file._replace(path=f"{folder}/{file.path}") for file in files]
        for remarks in (found.refused, found.remarks):
            remarks[:] = [remark._replace(path=f"{folder}/{remark.path}") for remark in remarks]
        found.others[:] = [f"{folder}/{path}" for path in found.others]
    listing.add(found)


def _put_file(found: Found, listing: Listing) -> None:
    role = role_of(found.path.rpartition("/")[2])
    if role is Role.OTHER:
        listing.others.append(found.path)
    else:
        listing.put(found, role)


def _parts_before_leaving(raw: str) -> tuple[str, ...]:
    path = raw.replace("\\", "/")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return tuple(parts[: parts.index("..")]) if ".." in parts and not path.startswith("/") else ()


def _cannot_open(error: OSError) -> str:
    return f"it cannot be opened ({error.strerror or error}); make it readable and hand it in again"
