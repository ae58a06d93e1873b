"""Read a notebook's code cells."""

import importlib
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from grader.intake.limits import MAX_CODE_BYTES, MAX_CODE_CELLS, MAX_TOKENISED
from grader.intake.magics import PlainCell, Written, plain_cell
from grader.intake.refusal import Refused, refuse_if_larger
from grader.intake.text import decode_json, one_newline
from grader.model.submission import Cell

_SURROGATE_OR_NUL = re.compile("[\0\ud800-\udfff]")
_SHOWN_MAGICS = 3
_SHOWN_LENGTH = 60


class Notebook(NamedTuple):
    """What a notebook holds that can be graded."""

    cells: tuple[Cell, ...]
    """
    Labelled ``cell N``, where N counts the notebook's code cells from the top, from 1. Empty ones are counted but
    left out. Execution counts are not used: they depend on what was run when, repeat, and are often missing.
    """
    encoding: str
    remarks: tuple[str, ...] = ()
    written: tuple[Written, ...] = ()
    """Files that ``%%writefile`` cells write."""
    tokenised: int = 0


def read_notebook(data: bytes, allowance: int = MAX_TOKENISED) -> Notebook:
    """
    Return the code cells of a notebook of any format version.

    Args:
        data: The whole file.
        allowance: Characters of cells with magics that may be tokenised.

    Raises:
        Refused: If it is not a notebook: not JSON, cut short, no cells, too many.
    """
    decoded = decode_json(data)
    content = _parse_notebook(decoded.text)
    remarks = [decoded.remark] if decoded.remark else []
    language = _foreign_language(content)
    if language:
        remarks.append(f"its kernel is for {language}, not Python; choose a Python kernel if its cells are Python")

    sources = list(_code_sources(content))
    refuse_if_larger(sum(len(source) for source in sources), MAX_CODE_BYTES, "move data out of its cells")
    if not any(source.strip() for source in sources):
        remarks.append("it has no code cells with anything in them; check that it was saved")

    cells: list[Cell] = []
    plains: list[tuple[int, PlainCell]] = []
    tokenised = 0
    for number, source in enumerate(sources, start=1):
        plain = plain_cell(source, allowance - tokenised)
        tokenised += plain.tokenised
        plains.append((number, plain))
        if plain.text.strip():
            cells.append(Cell(text=plain.text, label=f"cell {number}"))
    remarks += _describe_magics(plains)
    written = tuple(plain.written for _, plain in plains if plain.written)
    return Notebook(tuple(cells), decoded.encoding, tuple(remarks), written, tokenised)


def _parse_notebook(text: str) -> dict[str, Any]:
    """Return the notebook in format 4, without outputs."""
    if not text.strip():
        raise Refused("expected a notebook, found an empty file; save the notebook again")
    try:
        content = json.loads(text)
    except RecursionError:
        raise Refused("expected a notebook, found JSON nested too deep; save the notebook again") from None
    except ValueError as error:
        where = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "a number"
        cut = isinstance(error, json.JSONDecodeError) and not text[error.pos :].strip()
        found = "the file ends in the middle" if cut or "Unterminated" in str(error) else f"it is not valid at {where}"
        raise Refused(f"expected a notebook (JSON), but {found}; save the notebook again and hand that in") from None
    if not isinstance(content, dict) or not ({"cells", "worksheets"} & content.keys()):
        raise Refused("expected a notebook, found other JSON; save it as .ipynb from Jupyter and hand that in")
    _mend_cells(content)
    return _upgrade(content)


def _mend_cells(content: dict[str, Any]) -> None:
    """
    Empty the outputs and mend the metadata.

    Nothing in outputs is graded, and pictures are most of a notebook's size. Metadata that is missing says nothing
    about the code, but nbformat insists on it.
    """
    worksheets = content.get("worksheets")
    for holder in [content, *(worksheets if isinstance(worksheets, list) else [])]:
        cells = holder.get("cells") if isinstance(holder, dict) else None
        for mended in [holder, *(cells if isinstance(cells, list) else [])]:
            if isinstance(mended, dict):
                if "outputs" in mended:
                    mended["outputs"] = []
                if not isinstance(mended.get("metadata"), dict):
                    mended["metadata"] = {}


def _upgrade(content: dict[str, Any]) -> dict[str, Any]:
    """Let nbformat make format 4 of it; what is odd in a format 4 notebook (ids missing or twice) does no harm."""
    nbformat: Any = importlib.import_module("nbformat")  # 0.3 s, so only where there is a notebook
    major, minor = nbformat.reader.get_version(content)
    if not isinstance(major, int) or major not in nbformat.versions:
        raise Refused(f"expected a notebook of format 1 to 4, found format {major!s:.20}; save it as format 4")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notebook = nbformat.versions[major].to_notebook_json(content, minor=minor)
            upgraded: dict[str, Any] = nbformat.converter.convert(notebook, nbformat.current_nbformat)
    except Exception as error:  # noqa: BLE001 - any shape of JSON gets here, and nbformat trusts it
        raise Refused(
            f"expected a notebook of format {major}, but its cells are not as that format says "
            f"({type(error).__name__}); save the notebook again and hand that in"
        ) from None
    return upgraded


def _code_sources(notebook: dict[str, Any]) -> Iterator[str]:
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise Refused("expected a notebook with a list of cells, found none; save the notebook again and hand that in")
    count = 0
    for cell in cells:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        count += 1
        if count > MAX_CODE_CELLS:
            raise Refused(f"it has more than the {MAX_CODE_CELLS} code cells that are read; hand in fewer")
        source = cell.get("source", "")
        if isinstance(source, list):
            source = "".join(line for line in source if isinstance(line, str))
        # Neither can be in Python source, and a lone surrogate cannot be stored or printed either.
        yield _SURROGATE_OR_NUL.sub("\ufffd", one_newline(source)) if isinstance(source, str) else ""


def _foreign_language(notebook: dict[str, Any]) -> str:
    """Return the language that the notebook says it is in, unless that is Python or unsaid."""
    metadata = notebook.get("metadata")
    if not isinstance(metadata, dict):
        return ""
    for section, key in (("language_info", "name"), ("kernelspec", "language")):
        holder = metadata.get(section)
        language = holder.get(key) if isinstance(holder, dict) else None
        if isinstance(language, str) and language:
            return "" if "python" in language.lower() else repr(language[:30]).strip("'\"")
    return ""


def _describe_magics(plains: list[tuple[int, PlainCell]]) -> list[str]:
    shown = [
        f"{magic if len(magic) <= _SHOWN_LENGTH else magic[:_SHOWN_LENGTH] + '…'} (cell {number})"
        for number, plain in plains
        for magic in plain.left_out
    ]
    if not shown:
        return []
    more = f" and {len(shown) - _SHOWN_MAGICS} more" if len(shown) > _SHOWN_MAGICS else ""
    return [f"graded without running {', '.join(shown[:_SHOWN_MAGICS])}{more}"]
