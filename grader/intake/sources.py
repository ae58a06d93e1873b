"""Turn the bytes of source files into cells of text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from grader.intake.limits import MAX_TOKENISED, MAX_TOTAL_CODE
from grader.intake.listing import Remark
from grader.intake.membership import is_notebook
from grader.intake.refusal import Refused
from grader.intake.text import decode_source
from grader.model.submission import Cell, FileKind, SourceFile

_NOTEBOOK_SYNTAX = re.compile(r"^[ \t]*[!%]|\bget_ipython\(", re.MULTILINE)
_MODULE_NAME = re.compile(r"[^\W\d]\w*\.py")


@dataclass
class Sources:
    """Files as text, with what was noticed on the way."""

    files: list[SourceFile] = field(default_factory=list)
    refused: list[Remark] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    tokenised: int = 0
    """Characters of cells with magics that were tokenised."""
    characters: int = 0

    def add(self, file: SourceFile) -> None:
        """
        Take a file up.

        Raises:
            Refused: If all files together have become too large.
        """
        if self.characters + len(file.text) > MAX_TOTAL_CODE:
            raise Refused("there is more code than can be read in all; hand in only your own work")
        self.characters += len(file.text)
        self.files.append(file)


def read_sources(raw: Mapping[str, bytes], exercise_ids: Sequence[str]) -> Sources:
    """
    Return the text of modules and notebooks.

    Args:
        raw: The files' bytes by path; those that come first are the last to be left out.
        exercise_ids: An empty file that is named after one of these is worth a word.
    """
    sources = Sources()
    for path, data in raw.items():
        try:
            if is_notebook(path):
                _add_notebook(sources, path, data, raw)
            else:
                _add_module(sources, path, data)
        except Refused as refused:
            sources.refused.append(Remark(path, str(refused)))
            continue
        if PurePosixPath(path).stem in exercise_ids and not data.strip():
            sources.remarks.append(Remark(path, "the file is empty; check that it was saved"))
    return sources


def _add_module(sources: Sources, path: str, data: bytes) -> None:
    decoded = decode_source(data)
    text = decoded.text
    if decoded.remark:
        sources.remarks.append(Remark(path, decoded.remark))
    # A notebook that was saved as a script may still hold what only IPython understands.
    if _NOTEBOOK_SYNTAX.search(text):
        from grader.intake.magics import plain_cell

        plain = plain_cell(text, MAX_TOKENISED - sources.tokenised)
        sources.tokenised += plain.tokenised
        if plain.text != text and not plain.written:
            text = plain.text
            sources.remarks.append(Remark(path, "graded without its notebook magics, which only IPython can run"))
    sources.add(SourceFile(path=path, cells=(Cell(text=text),), encoding=decoded.encoding))


def _add_notebook(sources: Sources, path: str, data: bytes, raw: Mapping[str, bytes]) -> None:
    from grader.intake.notebooks import read_notebook

    notebook = read_notebook(data, MAX_TOKENISED - sources.tokenised)
    sources.tokenised += notebook.tokenised
    sources.add(SourceFile(path=path, kind=FileKind.NOTEBOOK, cells=notebook.cells, encoding=notebook.encoding))
    sources.remarks += [Remark(path, remark) for remark in notebook.remarks]

    # In a notebook, a module can be written by a cell and imported by the next.
    written: dict[str, str] = {}
    for part in notebook.written:
        written[part.name] = (written.get(part.name, "") if part.append else "") + part.text
    for name, text in written.items():
        module = str(PurePosixPath(path).with_name(name)) if _MODULE_NAME.fullmatch(name) else ""
        if not module:
            sources.remarks.append(Remark(path, f"the file {name[:60]!r} that a cell writes was left out"))
        elif module in raw or any(file.path == module for file in sources.files):
            sources.remarks.append(Remark(path, f"a cell writes {name}, but the {name} that was handed in counts"))
        else:
            sources.add(SourceFile(path=module, cells=(Cell(text=text),)))
            sources.remarks.append(Remark(path, f"{name} was read from the cell that writes it"))
