"""Read what one person handed in."""

import io
import os
import re
import stat
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from grader.intake.archives import open_archive
from grader.intake.duplicates import is_named_after, use_duplicates
from grader.intake.flags import find_flags
from grader.intake.folders import LINK, found_on_disk, list_folder, open_ordinary
from grader.intake.limits import (
    MAX_ANSWERS_BYTES,
    MAX_ARCHIVES,
    MAX_CODE_BYTES,
    MAX_FILES,
    MAX_INNER_ARCHIVE_BYTES,
    MAX_NOTEBOOK_BYTES,
    MAX_NOTICES,
    MAX_TOTAL_BYTES,
)
from grader.intake.listing import Found, Listing, Remark, read_found
from grader.intake.membership import Role, clean_path, is_answers, is_notebook, role_of, show_path
from grader.intake.refusal import Refused
from grader.intake.sources import read_sources
from grader.intake.text import decode_source
from grader.model.errors import SubmissionError
from grader.model.submission import AnswersFile, Submission, Unreadable

_EXPECTED = "expected a folder, a .zip, a notebook (.ipynb), or one or several .py files"


def read_submission(
    paths: Sequence[Path], *, exercise_ids: Sequence[str], promises: Mapping[str, Sequence[str]]
) -> Submission:
    """
    Read a folder, a zip, a notebook, or one or several Python files.

    Whatever is in there, this comes to an end within bounds and tells what it could not use: a file that cannot be
    read is listed as unreadable with the reason, and the others count.

    Args:
        paths: What was handed in: one folder or zip, or any number of ``.py`` and ``.ipynb`` files.
        exercise_ids: The course's exercises; files named after them are read first and never flagged.
        promises: The names that each exercise promises.

    Raises:
        SubmissionError: If a path does not exist, or is nothing that can be handed in.
    """
    if not paths:
        raise SubmissionError(f"nothing was named to be graded; {_EXPECTED}")
    with ExitStack() as stack:
        listing = _list_paths(list(dict.fromkeys(paths)), stack, exercise_ids)
        return read_listing(listing, _name_of(paths), exercise_ids=exercise_ids, promises=promises)


def read_listing(
    listing: Listing, name: str, *, exercise_ids: Sequence[str], promises: Mapping[str, Sequence[str]]
) -> Submission:
    """
    Read what was found, within bounds.

    Args:
        listing: What one person handed in; archives in it must be open, those named in it are not looked into.
        name: What the submission goes by.
        exercise_ids: The course's exercises; files named after them are read first and never flagged.
        promises: The names that each exercise promises.
    """
    raw = _read_bytes(listing, exercise_ids)
    # From here on paths may lose an extra folder on top, so notes are only put into words at the end.
    top = _extra_top(raw, [remark.path for remark in listing.refused])
    read = read_sources(
        {path.removeprefix(top): data for path, data in raw.items()},
        exercise_ids,
        {name for names in promises.values() for name in names},
    )
    files, copies = use_duplicates(read.files, exercise_ids, promises)
    answers = _choose_answers(_read_answers(listing, exercise_ids, top), read.answers, copies)

    refused = [_without(top, remark) for remark in listing.refused] + read.refused
    remarks = [_without(top, remark) for remark in listing.remarks] + read.remarks + copies
    notes = [f"{remark.path}: {remark.text}" for remark in remarks]
    if not files and not refused and not answers:
        found = f" among {', '.join(map(show_path, listing.others[:3]))}" if listing.others else ""
        more = " …" if len(listing.others) > 3 else ""
        notes.append(f"{name}: no .py or .ipynb file was found{found}{more}; {_EXPECTED}")
    settings = [found._replace(path=found.path.removeprefix(top)) for found in listing.settings]
    return Submission(
        id=name,
        files=tuple(sorted(files, key=lambda file: file.path)),
        answers=tuple(answers),
        unreadable=_list_refused(refused),
        notes=tuple(notes[:MAX_NOTICES]),
        flags=find_flags([file.path for file in read.files], settings, exercise_ids)[:MAX_NOTICES],
    )


def _list_paths(paths: list[Path], stack: ExitStack, exercise_ids: Sequence[str]) -> Listing:
    kinds = [(path, _kind_of(path, exercise_ids)) for path in paths]
    if len(paths) > 1:
        for path, kind in kinds:
            if kind in ("folder", "zip"):
                raise SubmissionError(f"{path}: found a {kind} beside other paths; {_EXPECTED}")
        parents = [os.path.abspath(path.parent) for path in paths]
        root = os.path.commonpath(parents) if len(set(parents)) > 1 else parents[0]
        names = [os.path.relpath(os.path.abspath(path), root) for path in paths]
    else:
        names = [os.path.basename(os.path.abspath(paths[0]))]

    listing = Listing()
    for (path, kind), name in zip(kinds, names, strict=True):
        try:
            if kind == "link":
                raise Refused(LINK)
            if kind == "folder":
                listing.add(list_folder(path))
                open_archives(listing, stack, levels=2)
            elif kind == "zip":
                listing.add(stack.enter_context(open_archive(stack.enter_context(open_ordinary(path)))))
                open_archives(listing, stack, levels=1)
            else:
                role = Role.ANSWERS if kind == "answers" else Role.SOURCE
                listing.put(found_on_disk(path, clean_path(name.split(os.sep))), role)
        except Refused as refused:
            listing.refused.append(Remark(show_path(name), str(refused)))
        except OSError as error:
            reason = f"it cannot be opened ({error.strerror or error}); make it readable and hand it in again"
            listing.refused.append(Remark(show_path(name), reason))
    return listing


def _kind_of(path: Path, exercise_ids: Sequence[str]) -> str:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        raise SubmissionError(f"{path}: there is no such file or folder; {_EXPECTED}") from None
    except (OSError, ValueError) as error:
        raise SubmissionError(f"{path}: it cannot be looked at ({error}); {_EXPECTED}") from None
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISDIR(mode):
        return "folder"
    suffix = path.suffix.lower()
    if not stat.S_ISREG(mode):
        raise SubmissionError(f"{path}: found a device or a pipe; {_EXPECTED}")
    if suffix == ".zip":
        return "zip"
    if suffix in (".py", ".ipynb"):
        return "file"
    if is_answers(path.name, exercise_ids):
        return "answers"
    if role_of(path.name) is Role.MISNAMED:
        raise SubmissionError(f"{path}: found a file that ends in {suffix}; rename it to {path.stem}")
    raise SubmissionError(f"{path}: found {f'a file that ends in {suffix}' if suffix else 'another file'}; {_EXPECTED}")


def open_archives(listing: Listing, stack: ExitStack, levels: int, most_bytes: int = MAX_INNER_ARCHIVE_BYTES) -> None:
    """
    Put what zips hold in their place, unless there is source beside them: then they are luggage.

    Args:
        listing: What was found; its archives are replaced by what is in them.
        stack: Closes them.
        levels: How many zips may be inside each other.
        most_bytes: What is read into memory of a zip inside another one.
    """
    archives, listing.archives = sorted(listing.archives, key=lambda found: found.path), []
    if listing.sources:
        reason = "it was not opened because there are source files beside it; unpack it there if it belongs to them"
        listing.remarks += [Remark(found.path, reason) for found in archives]
        return
    for number, found in enumerate(archives, start=1):
        try:
            if levels == 0:
                raise Refused("it is a zip in a zip in another; hand in the inner one")
            if number > MAX_ARCHIVES:
                raise Refused(f"only {MAX_ARCHIVES} zips are opened; hand in one")
            stream = stack.enter_context(found.open()) if found.open else io.BytesIO(read_found(found, most_bytes))
            inner = stack.enter_context(open_archive(stream, found.path[: -len(".zip")]))
            open_archives(inner, stack, levels - 1)
            listing.add(inner)
        except Refused as refused:
            listing.refused.append(Remark(found.path, str(refused)))
        except OSError as error:
            reason = f"it cannot be opened ({error.strerror or error}); make it readable and hand it in again"
            listing.refused.append(Remark(found.path, reason))


def _read_bytes(listing: Listing, exercise_ids: Sequence[str]) -> dict[str, bytes]:
    """Read the sources that are within bounds, files named after exercises first, then those nearest the top."""

    def matters(found: Found) -> tuple[bool, int, str]:
        path = PurePosixPath(found.path)
        return (path.stem not in exercise_ids, len(path.parts), found.path)

    raw: dict[str, bytes] = {}
    left = MAX_TOTAL_BYTES
    for found in sorted(_drop_collisions(listing), key=matters):
        try:
            if len(raw) == MAX_FILES:
                raise Refused(f"only {MAX_FILES} source files are read; hand in only your own work")
            if found.size > left:
                raise Refused("there is more than can be read in all; hand in only your own work, without outputs")
            if is_notebook(found.path):
                data = read_found(found, MAX_NOTEBOOK_BYTES, "clear its outputs")
            else:
                data = read_found(found, MAX_CODE_BYTES, "move data out of it")
            left -= len(data)
            raw[found.path] = data
        except Refused as refused:
            listing.refused.append(Remark(found.path, str(refused)))
    return raw


def _read_answers(listing: Listing, exercise_ids: Sequence[str], top: str) -> list[AnswersFile]:
    """Read predictions, well named ones first, then those nearest the top; other YAML is nobody's answers."""

    def matters(found: Found) -> tuple[bool, int, str]:
        return (not is_answers(found.path.rpartition("/")[2], exercise_ids), found.path.count("/"), found.path)

    read: list[AnswersFile] = []
    for found in sorted(listing.answers, key=matters):
        place = PurePosixPath(found.path)
        exercise = next((each for each in exercise_ids if is_named_after(f"{place.stem}.py", each)), "")
        if not exercise:
            listing.others.append(found.path)
            continue
        try:
            if len(read) == MAX_FILES:
                raise Refused(f"only {MAX_FILES} files of answers are read; hand in only your own work")
            decoded = decode_source(read_found(found, MAX_ANSWERS_BYTES, "hand in your answers alone"))
        except Refused as refused:
            listing.refused.append(Remark(found.path, str(refused)))
            continue
        if decoded.remark:
            listing.remarks.append(Remark(found.path, decoded.remark))
        if not is_answers(place.name, exercise_ids):
            listing.remarks.append(Remark(found.path, f"used as {exercise}.yaml"))
            place = place.with_name(f"{exercise}.yaml")
        read.append(AnswersFile(path=str(place).removeprefix(top), text=decoded.text))
    return read


def _choose_answers(
    handed_in: Sequence[AnswersFile], written: Sequence[AnswersFile], remarks: list[Remark]
) -> list[AnswersFile]:
    """Keep one file of answers for each exercise: handed in before written by a cell, nearest the top before deeper."""
    kept: dict[str, AnswersFile] = {}
    for file in (*handed_in, *written):
        first = kept.setdefault(PurePosixPath(file.path).stem, file)
        if first is not file:
            remarks.append(Remark(file.path, f"it was left out, because {first.path} counts"))
    return list(kept.values())


def _drop_collisions(listing: Listing) -> list[Found]:
    """
    Refuse sources that would be one file on some system, so that nobody can tell which was meant.

    That is the same name twice, or in a zip names that differ in letter case alone. In a folder, letter case is
    known to make a difference.
    """
    groups: dict[str, list[Found]] = defaultdict(list)
    for found in listing.sources:
        key = found.path if found.open else unicodedata.normalize("NFC", found.path.casefold())
        groups[key].append(found)
    kept: list[Found] = []
    for group in groups.values():
        if len(group) == 1:
            kept += group
            continue
        names = ", ".join(f"“{found.path}”" for found in group[:3])
        reason = f"expected each name once, found {len(group)} files that are one to some systems ({names}); keep one"
        listing.refused += [Remark(path, reason) for path in dict.fromkeys(found.path for found in group)]
    return kept


def _extra_top(raw: Mapping[str, bytes], refused: Sequence[str]) -> str:
    """
    Return the folders, with a slash at the end, that everything lies in and that no code speaks of.

    A folder that is a package, or that a file imports from by name, has to stay.
    """
    paths = [*raw, *(path for path in refused if role_of(path.rpartition("/")[2]) is Role.SOURCE)]
    top = ""
    while raw:
        folder, slash, _ = next(iter(raw)).removeprefix(top).partition("/")
        deeper = f"{top}{folder}/"
        if not slash or not all(path.startswith(deeper) for path in paths) or f"{deeper}__init__.py" in raw:
            break
        spoken_of = re.compile(rb'(?:^|["\n;])[ \t]*(?:from|import)[ \t]+' + re.escape(folder).encode() + rb"\b")
        if any(spoken_of.search(data) for data in raw.values()):
            break
        top = deeper
    return top


def _without(top: str, remark: Remark) -> Remark:
    return remark._replace(path=remark.path.removeprefix(top))


def _list_refused(refused: Sequence[Remark]) -> tuple[Unreadable, ...]:
    listed = [Unreadable(path=remark.path, reason=remark.text) for remark in refused[:MAX_NOTICES]]
    if len(refused) > MAX_NOTICES:
        first = refused[MAX_NOTICES]
        more = f"and {len(refused) - MAX_NOTICES - 1} more cannot be used either; hand in only your own work"
        listed.append(Unreadable(path=first.path, reason=f"{first.text} ({more})"))
    return tuple(listed)


def _name_of(paths: Sequence[Path]) -> str:
    name = show_path(os.path.basename(os.path.abspath(paths[0]))) or "submission"
    return name if len(paths) == 1 else f"{name} and {len(paths) - 1} more"
