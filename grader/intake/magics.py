"""Turn a notebook cell's magics into plain Python, line for line."""

import ast
import importlib
import re
import warnings
from typing import Any, NamedTuple

from grader.intake.parsing import parse_source


class Written(NamedTuple):
    """What ``%%writefile`` puts into a file."""

    name: str
    text: str
    append: bool


class PlainCell(NamedTuple):
    """A cell without magics; each of its lines keeps its number."""

    text: str
    left_out: tuple[str, ...] = ()
    """Magics whose effect is lost and may be missed, as the learner wrote them."""
    written: Written | None = None
    tokenised: int = 0
    """Characters that the tokeniser went through, which is slow: some 0.1 MB a second."""


# Cell magics that run the body as Python in the notebook itself.
_KEEPS_BODY = frozenset({"capture", "prun", "time"})
# Magics that set up a notebook's display or time things: nobody misses their effect here.
_UNMISSED = frozenset(
    {
        "alias_magic",
        "autoreload",
        "capture",
        "colors",
        "conda",
        "config",
        "debug",
        "doctest_mode",
        "load_ext",
        "logstart",
        "matplotlib",
        "memit",
        "pdb",
        "pdoc",
        "pfile",
        "pinfo",
        "pinfo2",
        "pip",
        "precision",
        "prun",
        "psource",
        "pylab",
        "reload_ext",
        "reset",
        "time",
        "timeit",
        "who",
        "who_ls",
        "whos",
        "xmode",
    }
)
_HAS_MAGIC = re.compile(r"^[ \t]*(?:[%!?,;/]|>>>|In \[)|\?[ \t]*$|=[ \t]*[!%]", re.MULTILINE)
_CELL_MAGIC = re.compile(r"%%(\w+)[ \t]*(.*)")
_RUN_FILE = re.compile(r"run[ \t]+([^\W\d]\w*)(?:\.py)?$")
_SHELL_CALL = re.compile(r"\bget_ipython\(")

_MAX_CELL = 20_000
"""Characters of a cell whose magics are looked for; a cell that people write has a few thousand."""


def plain_cell(source: str, allowance: int = 5 * _MAX_CELL) -> PlainCell:
    """
    Return a cell as Python that runs without IPython.

    A magic becomes a statement that does nothing, on the same line, so that a traceback names the line that the
    learner sees. ``%%time`` and its like keep the body, ``%%bash`` and its like lose it. What does not parse even
    then stays as it is: running it will say why.

    Args:
        source: The cell's text, with line feeds only.
        allowance: Characters that the tokeniser may go through; each odd magic makes it begin the cell again.
    """
    if parse_source(source) is not None:
        return _without_shell_calls(source, ())
    if not _HAS_MAGIC.search(source):
        return PlainCell(source)
    opened = _open_cell_magics(source)
    if opened.written:
        return opened
    if parse_source(opened.text) is not None:
        return _without_shell_calls(opened.text, opened.left_out)
    if len(source) > _MAX_CELL:
        return opened
    try:
        return _replace_line_magics(opened, allowance)
    except Exception:  # noqa: BLE001 - IPython's tokeniser meets text that it was never written for
        return opened._replace(tokenised=len(source))


def _open_cell_magics(source: str) -> PlainCell:
    """Blank out the ``%%`` lines that a cell begins with, and the body where it is not Python for this notebook."""
    lines = source.split("\n")
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        found = _CELL_MAGIC.match(line)
        if not found:
            break
        lines[number] = ""
        name, arguments = found[1], found[2].strip()
        if name in _KEEPS_BODY:
            continue
        body = lines[number + 1 :]
        lines[number + 1 :] = [""] * len(body)
        if name in ("writefile", "file"):
            *options, target = arguments.split() or [""]
            written = Written(target, "\n".join(body) + "\n", append=bool({"-a", "--append"} & set(options)))
            return PlainCell("\n".join(lines), (), written)
        return PlainCell("\n".join(lines), () if name in _UNMISSED else (f"%%{name}",))
    return PlainCell("\n".join(lines))


def _replace_line_magics(cell: PlainCell, allowance: int) -> PlainCell:
    """Let IPython find its own syntax, and put statements without effect in its place."""
    ipython: Any = importlib.import_module("IPython.core.inputtransformer2")  # 0.2 s, so only for cells that need it

    lines = [f"{line}\n" for line in cell.text.split("\n")]
    for strip in (ipython.leading_indent, ipython.classic_prompt, ipython.ipython_prompt):
        stripped = strip(lines)
        if len(stripped) == len(lines):
            lines = stripped
    finders = sorted(ipython.TransformerManager().token_transformers, key=lambda finder: finder.priority)
    left_out: list[str] = []
    tokenised = 0
    again = True
    while again and tokenised + len(cell.text) <= allowance:
        tokenised += len(cell.text)
        again = _replace_one_pass(lines, finders, ipython.make_tokens_by_line, left_out)
    plain = _without_shell_calls("".join(lines).removesuffix("\n"), cell.left_out + tuple(left_out))
    return plain._replace(tokenised=tokenised)


def _replace_one_pass(lines: list[str], finders: list[Any], tokenise: Any, left_out: list[str]) -> bool:
    """
    Replace magics in place, from the top, as far as the tokens can be trusted.

    Returns:
        Whether it stopped early, so that the rest must be tokenised again: a magic with a quote or a bracket in it
        (``!echo it's``) misleads the tokeniser about everything after it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokens_by_line = tokenise(lines)
    for tokens in tokens_by_line:
        for finder in finders:
            found = finder.find([tokens])
            if found is None:
                continue
            try:
                transformed = found.transform(lines)
            except SyntaxError:  # ``?`` where IPython knows no help for it
                continue
            start = found.start_line
            count = len(lines) - len(transformed) + 1
            original = "".join(lines[start : start + count])
            replacement, missed = _replacement(finder.__name__, original, found.start_col, transformed[start])
            lines[start : start + count] = [f"{replacement}\n", *["\n"] * (count - 1)]
            if missed:
                left_out.append(missed)
            if re.search(r"['\"()\[\]{}\\]", original):
                return True
            break
    return False


def _replacement(kind: str, original: str, column: int, transformed: str) -> tuple[str, str]:
    """Return the statement that stands in for a magic, and the magic itself if its effect may be missed."""
    before, magic = original[:column], " ".join(original[column:].split())
    if kind == "HelpEnd":
        return f"{before}pass", ""
    if kind == "SystemAssign":
        return f"{before}[]", magic
    if magic[:1] in (",", ";", "/"):
        return transformed.rstrip("\n"), ""  # a call with its brackets left out: IPython wrote it as Python
    timed = re.fullmatch(r"%time[ \t]+(.+)", magic)
    if timed and parse_source(timed[1]) is not None:
        return f"{before}{timed[1]}", ""
    if kind == "MagicAssign":
        return f"{before}None", magic
    run = _RUN_FILE.fullmatch(magic[1:])
    if magic.startswith("%run") and run and not before:
        return f"from {run[1]} import *", ""
    name = re.match(r"\W*(\w*)", magic)
    unmissed = magic.startswith("?") or (magic.startswith("%") and name is not None and name[1] in _UNMISSED)
    return f"{before}pass", "" if unmissed else magic


def _without_shell_calls(text: str, left_out: tuple[str, ...]) -> PlainCell:
    """Blank out statements such as ``get_ipython().system(…)``, which a notebook saved as a script is full of."""
    tree = parse_source(text) if _SHELL_CALL.search(text) else None
    if tree is None:
        return PlainCell(text, left_out)
    lines = text.split("\n")
    missed: list[str] = []
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Expr) and _is_shell_call(node.value) and node.end_lineno and node.end_col_offset):
            continue
        first, last = node.lineno - 1, node.end_lineno - 1
        # Columns count UTF-8 bytes.
        before = lines[first].encode()[: node.col_offset].decode()
        after = lines[last].encode()[node.end_col_offset :].decode()
        if last > first and after.strip():
            continue
        missed.append(" ".join(lines[first].split()))
        lines[first : last + 1] = [f"{before}pass{after}", *[""] * (last - first)]
    return PlainCell("\n".join(lines), left_out + tuple(missed))


def _is_shell_call(node: ast.expr) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    shell = node.func.value
    return isinstance(shell, ast.Call) and isinstance(shell.func, ast.Name) and shell.func.id == "get_ipython"
