"""Read source files into scopes: which statements run, and what each name is bound to."""

import ast
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from grader.model.submission import SourceFile

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Binding(NamedTuple):
    """One place where a name gets a meaning."""

    name: str
    kind: Literal["value", "item", "import", "from", "define", "other"]
    """``value``: the expression ``node``; ``item``: an item of it; ``other``: nothing that can be followed."""
    node: ast.AST | None
    scope: "Scope"
    """Where ``node`` is to be read."""
    order: int = 0
    """Number of statements of the scope that run before it holds."""
    conditional: bool = False
    """Whether an earlier binding may still hold afterwards."""
    source: str = ""
    """The dotted name that an import means."""


class Step(NamedTuple):
    """A simple statement, or the head of a compound one, that runs when its scope runs."""

    node: ast.AST
    order: int
    conditional: bool


@dataclass(eq=False)
class Scope:
    """A module, class, function or comprehension with its names."""

    kind: Literal["module", "class", "function", "comprehension"]
    module: "Module"
    parent: "Scope | None" = None
    bindings: dict[str, list[Binding]] = field(default_factory=lambda: defaultdict(list))
    steps: list[Step] = field(default_factory=list)
    star_imports: list[Binding] = field(default_factory=list)
    outer_names: set[str] = field(default_factory=set)
    """Names that ``global`` or ``nonlocal`` hand to an outer scope."""

    def read(self, statements: Iterable[ast.stmt], *, conditional: bool = False) -> None:
        """Add the statements that run, and the names that they bind."""
        for statement in statements:
            _read_statement(self, statement, conditional)

    def bind(self, name: str, kind: str, node: ast.AST | None, *, conditional: bool, source: str = "") -> None:
        """Bind a name at the present position, in the scope that owns it."""
        owner = self._owner(name)
        away = owner is not self
        self.module.bound_from_inside += away
        order = len(owner.steps) if away else len(self.steps)
        binding = Binding(name, kind, node, self, order, conditional or away, source)  # type: ignore[arg-type]
        if name == "*":
            self.star_imports.append(binding)
        else:
            owner.bindings[name].append(binding)

    def _owner(self, name: str) -> "Scope":
        if name not in self.outer_names or self.parent is None:
            return self
        outer = self.parent
        while outer.parent is not None and (outer.kind == "class" or name not in outer.bindings):
            outer = outer.parent
        return outer


@dataclass(eq=False)
class Module:
    """One file of a submission, read when it is first needed."""

    file: SourceFile
    scope: Scope = field(init=False)
    has_walrus: bool = field(init=False)
    bound_from_inside: int = 0
    """How often the functions that were opened until now bind a name outside them."""
    too_deep: str = ""
    """The first part that is nested too deeply to be read here, although Python may run it elsewhere."""
    _starts: list[int] = field(default_factory=list)
    _labels: list[str] = field(default_factory=list)
    _inner: dict[ast.AST, Scope] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Few files have one, and to look for it in every statement takes a quarter of the reading.
        self.has_walrus = any(":=" in cell.text for cell in self.file.cells)
        self.scope = Scope("module", self)
        lines_before = 0
        for cell in self.file.cells:
            self._starts.append(lines_before)
            self._labels.append(f"{self.file.path}, {cell.label}" if cell.label else self.file.path)
            try:
                tree = ast.parse(cell.text)
            except (SyntaxError, ValueError):
                continue  # the cell does not run either
            except (RecursionError, MemoryError):
                # How deep is too deep depends on how deep the reader stands itself, so the cell may well run.
                self.too_deep = self.too_deep or self._labels[-1]
                continue
            if lines_before:
                ast.increment_lineno(tree, lines_before)
            self.scope.read(tree.body)
            lines_before += cell.text.count("\n") + 2

    @property
    def dotted(self) -> str:
        """The path as a module name: ``src/heads.py`` is ``src.heads``."""
        return self.file.path.rsplit(".", 1)[0].removesuffix("/__init__").replace("/", ".")

    def locate(self, node: ast.AST) -> tuple[str, int]:
        """Return the path (with the cell, in a notebook) and the line of a node."""
        line = getattr(node, "lineno", 1)
        cell = max(bisect_right(self._starts, line - 1) - 1, 0)
        return self._labels[cell], line - self._starts[cell]

    def inner_scope(self, node: Function | ast.ClassDef | Comprehension, parent: Scope) -> Scope:
        """Return the scope that a function, class or comprehension opens."""
        if node not in self._inner:
            self._inner[node] = _open_scope(node, parent)
        return self._inner[node]


def _open_scope(node: Function | ast.ClassDef | Comprehension, parent: Scope) -> Scope:
    kind: Literal["class", "function", "comprehension"] = "function"
    if isinstance(node, ast.ClassDef):
        kind = "class"
    elif isinstance(node, _COMPREHENSIONS):
        kind = "comprehension"
    scope = Scope(kind, parent.module, parent)
    if isinstance(node, ast.ClassDef):
        scope.read(node.body)
    elif isinstance(node, _COMPREHENSIONS):
        for generator in node.generators:
            _bind_target(scope, generator.target, generator.iter, kind="item", conditional=False)
    else:
        _bind_parameters(scope, node.args, parent)
        body = [ast.Expr(node.body)] if isinstance(node, ast.Lambda) else node.body
        scope.read(body)
    return scope


def _bind_parameters(scope: Scope, arguments: ast.arguments, parent: Scope) -> None:
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults))
    pairs = [*zip(plain, [*defaults, *arguments.defaults], strict=True)]
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    for parameter, default in pairs:
        kind: Literal["value", "other"] = "value" if default is not None else "other"
        scope.bindings[parameter.arg].append(Binding(parameter.arg, kind, default, parent))
    for rest in (arguments.vararg, arguments.kwarg):
        if rest is not None:
            scope.bindings[rest.arg].append(Binding(rest.arg, "other", None, parent))


def _read_statement(scope: Scope, node: ast.stmt, conditional: bool) -> None:  # noqa: FBT001
    """Record one statement; a compound one gives its head and then the statements in it."""

    def step(part: ast.AST) -> None:
        scope.steps.append(Step(part, len(scope.steps), conditional))
        _bind_walruses(scope, part, conditional=conditional)

    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            step(test)
            truth = _known_truth(test)
            if truth is not False:
                scope.read(body, conditional=conditional or truth is None)
            if truth is not True:
                scope.read(orelse, conditional=conditional or truth is None)
        case ast.For(target=target, iter=iterable) | ast.AsyncFor(target=target, iter=iterable):
            step(iterable)
            _bind_target(scope, target, iterable, kind="item", conditional=True)
            scope.read([*node.body, *node.orelse], conditional=True)
        case ast.While(test=test):
            step(test)
            scope.read([*node.body, *node.orelse], conditional=True)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                step(item.context_expr)
                if item.optional_vars is not None:
                    _bind_target(scope, item.optional_vars, item.context_expr, kind="value", conditional=conditional)
            scope.read(node.body, conditional=conditional)
        case ast.Try() | ast.TryStar():
            scope.read([*node.body, *node.orelse], conditional=True)
            for handler in node.handlers:
                if handler.name:
                    scope.bind(handler.name, "other", None, conditional=True)
                scope.read(handler.body, conditional=True)
            scope.read(node.finalbody, conditional=conditional)
        case ast.Match(subject=subject, cases=cases):
            step(subject)
            for case in cases:
                for pattern in ast.walk(case.pattern):
                    name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
                    if isinstance(name, str):
                        kind = "value" if pattern is case.pattern else "other"
                        scope.bind(name, kind, subject, conditional=True)
                scope.read(case.body, conditional=True)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            scope.outer_names.update(names)
        case ast.Expr(value=ast.Call(func=ast.Name(id="exec"), args=[ast.Constant(value=str(text)), *_])):
            step(node)
            scope.read(_parse_inline(text, node), conditional=conditional)
        case _:
            step(node)
            _bind_simple(scope, node, conditional=conditional)


def _bind_simple(scope: Scope, node: ast.stmt, *, conditional: bool) -> None:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            scope.bind(node.name, "define", node, conditional=conditional)
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                _bind_target(scope, target, value, kind="value", conditional=conditional)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            _bind_target(scope, target, value, kind="value", conditional=conditional)
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            scope.bind(name, "item", value, conditional=True)
        case ast.Import(names=names):
            for alias in names:
                source = alias.name if alias.asname else alias.name.partition(".")[0]
                scope.bind(alias.asname or source, "import", node, conditional=conditional, source=source)
        case ast.ImportFrom(names=names, module=module):
            for alias in names:
                source = f"{module}.{alias.name}" if module else alias.name
                scope.bind(alias.asname or alias.name, "from", node, conditional=conditional, source=source)
        case _:
            pass


def _bind_target(scope: Scope, target: ast.expr, value: ast.expr, *, kind: str, conditional: bool) -> None:
    if isinstance(target, ast.Starred):
        target = target.value
    if isinstance(target, ast.Name):
        scope.bind(target.id, kind, value, conditional=conditional)
    elif isinstance(target, (ast.Tuple, ast.List)):
        parts: Sequence[ast.expr] = target.elts
        is_same_shape = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(parts) and kind == "value"
        for position, part in enumerate(parts):
            if is_same_shape:
                _bind_target(scope, part, value.elts[position], kind=kind, conditional=conditional)  # type: ignore[attr-defined]
            else:
                _bind_target(scope, part, value, kind="item", conditional=conditional)


def _bind_walruses(scope: Scope, part: ast.AST, *, conditional: bool) -> None:
    if not scope.module.has_walrus or isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for inner in ast.walk(part):
        if isinstance(inner, ast.NamedExpr):
            scope.bind(inner.target.id, "value", inner.value, conditional=conditional)


def _known_truth(test: ast.expr) -> bool | None:
    """Return what a condition always is: a constant, or the question whether the file is run as a program."""
    match test:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as operator], comparators=[right]):
            sides = {getattr(left, "id", None) or getattr(left, "value", None)}
            sides.add(getattr(right, "id", None) or getattr(right, "value", None))
            # Files are imported for grading, never run as a program.
            return isinstance(operator, ast.NotEq) if sides == {"__name__", "__main__"} else None
        case ast.BoolOp(op=ast.And(), values=values):
            return False if any(_known_truth(value) is False for value in values) else None
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            truth = _known_truth(operand)
            return None if truth is None else not truth
        case _:
            return None


def _parse_inline(text: str, node: ast.AST) -> list[ast.stmt]:
    """Parse source that stands in a string, placed at the line of ``node``."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [*place(tree, node).body]


def place(tree: ast.Module, node: ast.AST) -> ast.Module:
    """Give every part of ``tree`` the line of ``node``."""
    line = getattr(node, "lineno", 1)
    for inner in ast.walk(tree):
        if hasattr(inner, "lineno"):
            inner.lineno = line
    return tree


def children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that run with it: annotations do nothing."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_comment", "type_params"):
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                yield item
