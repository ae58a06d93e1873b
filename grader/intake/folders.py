"""List what a folder holds, without following links or opening anything but ordinary files."""

import functools
import os
import stat
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from grader.intake.limits import MAX_ENTRIES
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

LINK = "it is a link, and links are not followed; hand in the file or folder itself"


def list_folder(root: Path) -> Listing:
    """
    List a folder and its sub-folders, those nearest the top first.

    Hidden folders, caches and virtual environments are passed over. Links are refused, devices never opened.
    """
    listing = Listing()
    entries_left = MAX_ENTRIES
    waiting: deque[tuple[str, ...]] = deque([()])
    while waiting:
        parts = waiting.popleft()
        try:
            with os.scandir(root.joinpath(*parts)) as entries:
                inside = sorted(_take(entries, entries_left), key=lambda entry: entry.name)
        except OSError as error:
            reason = f"it cannot be opened ({error.strerror or error}); make it readable and hand it in again"
            listing.refused.append(Remark(show_path("/".join(parts) or root.name), reason))
            continue
        entries_left -= len(inside)
        if parts and any(entry.name in VIRTUAL_ENVIRONMENT_MARKERS for entry in inside):
            continue
        for entry in inside:
            path = (*parts, entry.name)
            try:
                if _list_entry(entry, path, listing):
                    waiting.append(path)
            except Refused as refused:
                listing.refused.append(Remark(show_path("/".join(path)), str(refused)))
        if entries_left <= 0:
            reason = f"there are more than the {MAX_ENTRIES:,} files that are looked at; hand in only your own work"
            listing.refused.append(Remark(show_path("/".join(parts) or root.name), reason))
            break
    return listing


def found_on_disk(file: Path, path: str) -> Found:
    """Return a file of the disk under the path that it goes by in the submission."""
    read, open_ = functools.partial(_read_ordinary, file), functools.partial(open_ordinary, file)
    return Found(path, file.lstat().st_size, read, open_)


def open_ordinary(file: Path) -> BinaryIO:
    """
    Open an ordinary file, whatever has been put in its place since it was listed.

    Raises:
        Refused: If it is a link, a device or a pipe.
        OSError: If it cannot be opened.
    """
    if file.is_symlink():
        raise Refused(LINK)
    # Where the system can, it refuses a link that came in between, and does not wait for a pipe's other end.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(file, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Refused("expected an ordinary file, found a device or a pipe; hand in the file itself")
    return os.fdopen(descriptor, "rb")


def _read_ordinary(file: Path, most: int) -> bytes:
    with open_ordinary(file) as stream:
        return stream.read(most)


def _take(entries: Iterator["os.DirEntry[str]"], most: int) -> list["os.DirEntry[str]"]:
    return [entry for _, entry in zip(range(most), entries, strict=False)]


def _list_entry(entry: "os.DirEntry[str]", parts: tuple[str, ...], listing: Listing) -> bool:
    """List one entry, and return whether it is a folder to look into."""
    role = role_of(entry.name)
    # An editor's lock (``.#heads.py``) is a hidden link: what is hidden is not even refused.
    if entry.name.startswith(".") and role is not Role.SETTINGS:
        return False
    if entry.is_symlink():
        raise Refused(LINK)
    if entry.is_dir(follow_symlinks=False):
        if is_ignored_folder(entry.name):
            return False
        clean_path([*parts, "x"])  # refuses the folder once instead of each file in it
        return True
    if role is Role.OTHER:
        listing.others.append("/".join(parts))
        return False
    path = clean_path(list(parts))
    if not entry.is_file(follow_symlinks=False):
        raise Refused("expected an ordinary file, found a device or a pipe; hand in the file itself")
    listing.put(found_on_disk(Path(entry.path), path), role)
    return False
