"""Turn source into statements made of tokens that renaming, formatting and comments leave alone."""

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from grader.intake.parsing import MAX_PARSED, parse_source
from grader.model.submission import SourceFile

_BUILTINS = frozenset(dir(builtins))
_MAX_PARTS = 5000
_TOP_LEVEL = re.compile(r"^(?=\S)(?!#|\)|\]|\}|else\b|elif\b|except\b|finally\b)", re.MULTILINE)

_BLOCKS = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})
_NOT_SAID = frozenset({"annotation", "returns", "ctx", "type_comment", "type_params"})


class Statement(NamedTuple):
    """One statement, or the head of a compound one."""

    tokens: tuple[str, ...]
    file: int
    """Place of its file in the submission."""
    first_line: int
    """In the file's whole text, from 1."""
    last_line: int
    unit: int
    """Place of the top-level definition or statement that it belongs to."""


def read_statements(files: Sequence[SourceFile]) -> list[Statement]:
    """
    Return every statement of a submission but imports, docstrings and ``pass``.

    A token is a node of the syntax tree: names that the code itself binds become one and the same, whatever they are;
    names of libraries, of their functions and of keyword arguments stay, and so do numbers. Of code that does not
    parse, the parts that do are taken.
    """
    statements: list[Statement] = []
    units = 0
    for place, file in enumerate(files):
        line = 0
        for cell in file.cells:
            for tree, offset in _parse(cell.text):
                statements += _Reader(place, line + offset).read(tree, units)
                units += len(tree.body)
            line += cell.text.count("\n") + 1
    return statements


def _parse(text: str) -> Iterator[tuple[ast.Module, int]]:
    """Yield syntax trees with how many lines stand above each."""
    whole = parse_source(text)
    if whole is not None:
        yield whole, 0
        return
    if len(text) > MAX_PARSED:
        return
    starts = [found.start() for found in _TOP_LEVEL.finditer(text)][:_MAX_PARTS]
    for start, end in pairwise([*starts, len(text)]):
        part = parse_source(text[start:end])
        if part is not None:
            yield part, text.count("\n", 0, start)


class _Reader:
    """Reads one syntax tree."""

    def __init__(self, file: int, lines_above: int):
        self._file = file
        self._above = lines_above
        self._bound: set[str] = set()
        self._own_attributes: set[str] = set()
        self._imported: dict[str, str] = {}

    def read(self, tree: ast.Module, units: int) -> list[Statement]:
        """Return the tree's statements; ``units`` is how many top-level ones came before."""
        try:
            for node in ast.walk(tree):
                self._note_bindings(node)
            return [each for unit, node in enumerate(tree.body, units) for each in self._statements([node], unit)]
        except RecursionError:
            return []

    def _note_bindings(self, node: ast.AST) -> None:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            self._bound.add(node.id)
        elif isinstance(node, ast.arg):
            self._bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._bound.add(node.name)
            self._own_attributes.add(node.name)
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            self._own_attributes.add(node.attr)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                self._imported[alias.asname or alias.name.partition(".")[0]] = alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                self._imported[alias.asname or alias.name] = alias.name

    def _statements(self, body: Sequence[ast.stmt], unit: int) -> Iterator[Statement]:
        for node in body:
            if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass | ast.Global | ast.Nonlocal):
                continue
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue  # a docstring, or a comment in the form of one
            tokens = tuple(self._tokens(node))
            inner = list(_bodies(node))
            last = min((block[0].lineno for block in inner), default=0) - 1 if inner else node.end_lineno or node.lineno
            first = self._above + node.lineno
            yield Statement(tokens, self._file, first, max(first, self._above + last), unit)
            for block in inner:
                yield from self._statements(block, unit)

    def _tokens(self, node: ast.AST) -> Iterator[str]:
        match node:
            case ast.Name():
                yield self._name(node.id)
            case ast.Attribute():
                yield from self._tokens(node.value)
                yield ".own" if node.attr in self._own_attributes else f".{node.attr}"
            case ast.arg():
                yield "parameter"
            case ast.keyword():
                yield f"{node.arg}=" if node.arg not in self._bound else "own="
                yield from self._tokens(node.value)
            case ast.Constant():
                yield "text" if isinstance(node.value, str | bytes) else repr(node.value)
            case ast.JoinedStr():
                yield "text"
            case ast.AnnAssign():
                yield "Assign"
                yield from self._tokens(node.target)
                if node.value is not None:
                    yield from self._tokens(node.value)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                yield repr(-value)
            case _:
                yield type(node).__name__
                skipped = _NOT_SAID | _BLOCKS if isinstance(node, ast.stmt) else _NOT_SAID
                for name, value in ast.iter_fields(node):
                    if name not in skipped:
                        for child in value if isinstance(value, list) else [value]:
                            if isinstance(child, ast.AST):
                                yield from self._tokens(child)

    def _name(self, name: str) -> str:
        if name in self._bound:
            return "own"
        imported = self._imported.get(name, name)
        # What a star import or another cell brings in keeps its name; a name that nothing explains is the learner's.
        return imported.rpartition(".")[2] if name in self._imported or name in _BUILTINS else "own"


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block and isinstance(node, ast.stmt):
            yield block
    for name in ("handlers", "cases"):
        for part in getattr(node, name, []):
            yield part.body
