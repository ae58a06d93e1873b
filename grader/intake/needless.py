"""Leave out what a notebook runs at its top level although nothing that it defines needs it."""

import ast
import dis
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import NamedTuple

from grader.intake.parsing import parse_source
from grader.model.submission import Cell

_MAX_LOOKED_AT = 64 * 1024
"""Characters of code in a notebook that is looked through; larger ones run as they are."""
_MAX_STATEMENTS = 1_000
"""Statements at the top level, for the same reason: who needs whom takes time with their square."""

_LOADS = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"})
_STORES = frozenset({"STORE_NAME", "DELETE_NAME"})
_GLOBAL_STORES = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
_WAITS = frozenset({"breakpoint", "input", "sleep"})

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Import = ast.Import | ast.ImportFrom
_Loop = ast.For | ast.AsyncFor | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_MUTABLE = (ast.Dict, ast.List, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp)


class Trimmed(NamedTuple):
    """A notebook's cells without what nothing needs; each line keeps its number."""

    cells: tuple[Cell, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    """What could have taken long: the label of its cell, and its first line."""


@dataclass
class _Statement:
    """A statement at the top level of a cell."""

    cell: int
    node: ast.stmt
    loads: frozenset[str]
    """Global names that it, or a function in it, reads."""
    changes: frozenset[str]
    """Names that it binds or whose value it may change."""
    may_take_long: bool = False
    stays: bool = False


def leave_out_needless(cells: Sequence[Cell], wanted: Collection[str]) -> Trimmed:
    """
    Leave out training loops, calls of the learner's own functions, and what depends on them.

    Imports, functions and classes stay, and what gives or changes a name that these use, or that is wanted. Of the
    rest, what is cheap stays: constants, seeds, settings of libraries.

    Args:
        cells: The notebook's cells, as plain Python.
        wanted: Names that are graded, whatever kind of thing they are.
    """
    if sum(len(cell.text) for cell in cells) > _MAX_LOOKED_AT:
        return Trimmed(tuple(cells))
    statements = _read_statements(cells)
    known = _Known(statements)
    for statement in statements:
        _judge(statement, known)

    _keep_needed(statements, set(wanted))
    _keep_cheap(statements)
    removed = [statement for statement in statements if not statement.stays]
    if not removed:
        return Trimmed(tuple(cells))
    texts = [cell.text for cell in cells]
    for statement in reversed(removed):  # from the end, so that columns stay right
        texts[statement.cell] = _without(texts[statement.cell], statement.node)
    return Trimmed(
        tuple(cell.model_copy(update={"text": text}) for cell, text in zip(cells, texts, strict=True)),
        tuple(
            (cells[one.cell].label, _first_line(cells[one.cell].text, one.node)) for one in removed if one.may_take_long
        ),
    )


def _read_statements(cells: Sequence[Cell]) -> list[_Statement]:
    """Return the statements of each cell that Python would run."""
    statements: list[_Statement] = []
    count = 0
    for number, cell in enumerate(cells):
        tree = parse_source(cell.text)
        if tree is None:
            continue
        count += len(tree.body)
        if count > _MAX_STATEMENTS:
            return []
        try:
            statements += [_read_statement(number, node) for node in tree.body]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # Then the whole cell does not run, whatever was read of it.
            statements = [statement for statement in statements if statement.cell != number]
    return statements


def _read_statement(cell: int, node: ast.stmt) -> _Statement:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(ast.Module(body=[node], type_ignores=[]), "cell", "exec", dont_inherit=True)
    stores = {name for operation, name in _names_in(code, nested=False) if operation in _STORES}
    names = list(_names_in(code, nested=True))
    loads = {name for operation, name in names if operation in _LOADS}
    if not isinstance(node, _Definition):
        stores |= {name for operation, name in names if operation in _GLOBAL_STORES}
    return _Statement(cell, node, frozenset(loads), frozenset(stores))


def _names_in(code: CodeType, *, nested: bool) -> Iterator[tuple[str, str]]:
    for instruction in dis.get_instructions(code):
        if isinstance(instruction.argval, str):
            yield instruction.opname, instruction.argval
    if nested:
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from _names_in(constant, nested=True)


class _Known:
    """What is known of a notebook's names."""

    def __init__(self, statements: Sequence[_Statement]) -> None:
        self.imported: set[str] = set()
        self.own: set[str] = set()
        """Names that are bound other than by importing."""
        self.mutable: set[str] = set()
        """Names of lists, dictionaries and the like, which a function can change from inside."""
        self.global_stores: dict[str, set[str]] = {}
        """The global names that each function or class changes when it is called."""
        for statement in statements:
            node = statement.node
            if isinstance(node, _Import):
                self.imported |= statement.changes
                continue
            self.own |= statement.changes
            if isinstance(node, ast.Assign) and isinstance(node.value, _MUTABLE):
                self.mutable |= statement.changes
            elif isinstance(node, _Definition):
                self.global_stores[node.name] = {
                    name for inner in ast.walk(node) if isinstance(inner, ast.Global) for name in inner.names
                }
        self.own -= self.imported


def _judge(statement: _Statement, known: _Known) -> None:
    """Find out what a statement may change besides the names that it binds, and whether it may take long."""
    node = statement.node
    inside = list(ast.walk(node))
    if isinstance(node, _Definition) or any(isinstance(inner, _Import | _Definition) for inner in inside):
        statement.stays = True
        return
    if isinstance(node, ast.If) and "__name__" in statement.loads:
        statement.stays = True  # it does not run: the notebook is imported
        return
    changes = set(statement.changes)
    for inner in inside:
        if isinstance(inner, ast.Attribute | ast.Subscript) and not isinstance(inner.ctx, ast.Load):
            changes.add(_root(inner))
        elif isinstance(inner, ast.Call):
            if isinstance(inner.func, ast.Attribute):
                changes.add(_root(inner.func))
            called = _root(inner.func)
            name = inner.func.attr if isinstance(inner.func, ast.Attribute) else called
            if called in known.own:
                changes |= known.global_stores.get(called, set())
                changes |= {arg.id for arg in inner.args if isinstance(arg, ast.Name)} & known.mutable
            statement.may_take_long |= called in known.own or name in _WAITS
        elif isinstance(inner, _Loop):
            statement.may_take_long = True
    statement.changes = frozenset(changes - known.imported - {""})


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _keep_needed(statements: Sequence[_Statement], needed: set[str]) -> None:
    """Keep what gives or changes a name that something kept reads, until nothing is missing."""
    for statement in statements:
        if statement.stays:
            needed |= statement.loads
    changed = True
    while changed:
        changed = False
        for statement in statements:
            if not statement.stays and statement.changes & needed:
                statement.stays = changed = True
                needed |= statement.loads


def _keep_cheap(statements: Sequence[_Statement]) -> None:
    """Keep what is quick, unless it reads or deletes what is not there, or not complete, without the rest."""
    spoiled: set[str] = set()
    waiting = [statement for statement in statements if not statement.stays]
    changed = True
    while changed:
        changed = False
        for statement in waiting:
            reads = statement.changes if isinstance(statement.node, ast.Delete) else statement.loads
            if statement.may_take_long or reads & spoiled:
                changed |= not statement.changes <= spoiled
                spoiled |= statement.changes
    for statement in waiting:
        reads = statement.changes if isinstance(statement.node, ast.Delete) else statement.loads
        statement.stays = not (statement.may_take_long or reads & spoiled)


def _without(text: str, node: ast.stmt) -> str:
    """Put a statement that does nothing in a statement's place, line for line."""
    lines = text.split("\n")
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    # Columns count UTF-8 bytes.
    before = lines[first].encode()[: node.col_offset].decode()
    after = lines[last].encode()[node.end_col_offset :].decode()
    # With nothing but blanks or a comment on its lines, nothing has to stand in for it.
    stand_in = "" if not before.strip() and re.fullmatch(r"\s*(?:#.*)?", after) else "pass"
    lines[first : last + 1] = [f"{before}{stand_in}{after}", *[""] * (last - first)]
    return "\n".join(lines)


def _first_line(text: str, node: ast.stmt) -> str:
    return " ".join(text.split("\n")[node.lineno - 1].split())
