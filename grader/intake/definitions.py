"""Find the names that a file gives, without running it."""

import ast
from collections.abc import Iterable, Mapping
from enum import IntEnum
from pathlib import PurePosixPath

from grader.intake.parsing import parse_source, scan_definitions
from grader.model.submission import SourceFile


class Given(IntEnum):
    """How a file gives a name; more is better."""

    STUB = 1
    """A placeholder: a body that only raises ``NotImplementedError``, or ``None``."""
    IMPORTED = 2
    """Taken from another module."""
    WRITTEN = 3
    """Defined or assigned here."""


class Definitions:
    """The names that one file gives at its top level."""

    def __init__(self) -> None:
        self.names: dict[str, Given] = {}
        self.nested: dict[str, str] = {}
        """Functions and classes inside something else, with the outermost name that they are in."""
        self.star_imports: list[str] = []
        """Modules of which everything is imported, by the last part of their names."""

    def give(self, names: Mapping[str, Given]) -> None:
        """Record names that are given later, and so win."""
        self.names.update(names)


def find_definitions(file: SourceFile) -> Definitions:
    """
    Return what a file gives when it runs to its end.

    Bodies of ``if``, ``try``, ``with`` and loops at the top level count, except below ``if __name__ ==
    "__main__"`` and ``if TYPE_CHECKING``. A cell or file that does not parse gives what its unindented ``def`` and
    ``class`` lines say: it is to be graded, so that its syntax error is shown.
    """
    definitions = Definitions()
    for cell in file.cells:
        tree = parse_source(cell.text)
        try:
            names = _names_in(tree.body, definitions) if tree else None
        except RecursionError:  # an ``elif`` chain of hundreds parses, but nests
            names = None
        definitions.give(dict.fromkeys(scan_definitions(cell.text), Given.WRITTEN) if names is None else names)
        if tree:
            _find_nested(tree, definitions)
    return definitions


def add_star_imports(by_path: Mapping[str, Definitions]) -> None:
    """Give each file the public names of the submission's own modules that it imports with a star."""
    by_stem: dict[str, list[Definitions]] = {}
    for path, definitions in by_path.items():
        by_stem.setdefault(PurePosixPath(path).stem, []).append(definitions)
    for _ in range(3):  # a star import of a star import of a star import is as far as anybody goes
        for definitions in by_path.values():
            for module in definitions.star_imports:
                for source in by_stem.get(module, ()):
                    for name, given in source.names.items():
                        if not name.startswith("_") and given is not Given.STUB:
                            definitions.names.setdefault(name, Given.IMPORTED)


def _names_in(body: Iterable[ast.stmt], definitions: Definitions) -> dict[str, Given]:
    names: dict[str, Given] = {}
    for statement in body:
        names.update(_names_of(statement, definitions))
    return names


def _names_of(statement: ast.stmt, definitions: Definitions) -> dict[str, Given]:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return {statement.name: Given.STUB if _is_stub_function(statement) else Given.WRITTEN}
        case ast.ClassDef():
            return {statement.name: Given.STUB if _is_stub_class(statement) else Given.WRITTEN}
        case ast.Import():
            return {(alias.asname or alias.name).partition(".")[0]: Given.IMPORTED for alias in statement.names}
        case ast.ImportFrom():
            if statement.names[0].name == "*":
                definitions.star_imports.append((statement.module or "").rpartition(".")[2])
                return {}
            return {alias.asname or alias.name: Given.IMPORTED for alias in statement.names}
        case ast.Assign(targets=targets, value=value):
            return {name: _given_by(value) for target in targets for name in _target_names(target)}
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return {name: _given_by(value) for name in _target_names(target)}
        case ast.If(test=test) if _never_at_import(test):
            return _names_in(statement.orelse, definitions)
        case ast.If() | ast.For() | ast.While():
            return _best_of(statement.body, statement.orelse, definitions=definitions)
        case ast.Try() | ast.TryStar():
            handlers = [handler.body for handler in statement.handlers]
            whole = [*statement.body, *statement.orelse]
            return _best_of(whole, *handlers, definitions=definitions) | _names_in(statement.finalbody, definitions)
        case ast.With():
            return _names_in(statement.body, definitions)
    return {}


def _best_of(*branches: list[ast.stmt], definitions: Definitions) -> dict[str, Given]:
    """Return the names of branches of which one runs: which one is not known, so the better of each name counts."""
    best: dict[str, Given] = {}
    for branch in branches:
        for name, given in _names_in(branch, definitions).items():
            best[name] = max(given, best.get(name, given))
    return best


def _target_names(target: ast.expr) -> list[str]:
    match target:
        case ast.Name():
            return [target.id]
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return [name for element in elements for name in _target_names(element)]
        case ast.Starred():
            return _target_names(target.value)
    return []


def _given_by(value: ast.expr) -> Given:
    placeholder = isinstance(value, ast.Constant) and (value.value is None or value.value is Ellipsis)
    return Given.STUB if placeholder else Given.WRITTEN


def _never_at_import(test: ast.expr) -> bool:
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__":
        return isinstance(test.ops[0], ast.Eq)
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return name == "TYPE_CHECKING"


def _is_stub_class(node: ast.ClassDef) -> bool:
    """Whether nothing in a class is filled in: each method is a stub, or there is none and nothing else either."""
    methods = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
    if methods:
        return all(_is_stub_function(method) or _only_calls_super(method) for method in methods)
    return not node.bases and all(_is_empty(item) for item in node.body)


def _is_stub_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a body holds nothing but docstrings, ``pass`` and ``super().__init__()`` before it gives up."""
    *before, last = node.body
    gives_up = _is_empty(last) or (isinstance(last, ast.Raise) and _raises_not_implemented(last))
    return gives_up and all(_is_empty(item) or _is_super_call(item) for item in before)


def _only_calls_super(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return all(_is_empty(item) or _is_super_call(item) for item in node.body)


def _is_empty(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Expr(ast.Constant(str())):
            return True
        case ast.Expr(ast.Constant(value)):
            return value is Ellipsis
    return False


def _is_super_call(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name("super")), attr="__init__"))):
            return True
    return False


def _raises_not_implemented(node: ast.Raise) -> bool:
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _find_nested(tree: ast.Module, definitions: Definitions) -> None:
    for outer in tree.body:
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for inner in ast.walk(outer):
                if inner is not outer and isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    definitions.nested.setdefault(inner.name, outer.name)
