"""
Find what a rubric forbids in learners' source, wherever a promised name can reach it.

Nothing is run. From the promised names the search follows every name that the code mentions: functions, classes with
the methods that somebody names, base classes, decorators, defaults, lambdas, nested functions and sibling files. In
code that is reached in this way each mention of a forbidden function counts, called or not, since a function that is
mentioned can be stored and called elsewhere.

Statements at the top of a file run at import, so they count when what they do can get to a promised name: they bind a
name that the reached code uses, write into an object that it uses, or change a library. A comparison with the library's
own function, in a notebook cell or at the end of a file, does none of these and is fine; so is everything under
``if __name__ == "__main__":``.

The search is made to be fair to honest code and to see through honest aliases and simple disguises. It is no proof:
somebody determined can hide a call from any reader of text.
"""

import ast
import sys
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from grader.model.base import Model
from grader.model.rubric import Forbidden
from grader.model.submission import SourceFile
from grader.sandbox.stand_ins import StandIn, always_replaced
from grader.suite.constant_text import fold_text
from grader.suite.scopes import Binding, Definition, Module, Scope, Step, children, place
from grader.suite.time_limit import NeverEndsError, TimeLimit
from grader.suite.twins import ForbiddenNames

# Python and torch call these on their own; any other method is reached when reached code names it.
_CALLED_BY_TORCH = frozenset(
    {
        "_apply", "_call_impl", "_load_from_state_dict", "_save_to_state_dict", "_wrapped_call_impl", "apply",
        "backward", "buffers", "children", "cpu", "cuda", "double", "eval", "extra_repr", "float", "forward", "half",
        "load_state_dict", "modules", "named_buffers", "named_children", "named_modules", "named_parameters",
        "parameters", "register_buffer", "register_parameter", "requires_grad_", "setup_context", "state_dict", "to",
        "train", "type", "vmap", "zero_grad",
    }
)  # fmt: skip
_STORING_METHODS = frozenset(
    {"add", "append", "appendleft", "extend", "insert", "register", "set", "setdefault", "update", "__setitem__",
     "__setattr__", "__ior__"}
)  # fmt: skip
_LOOKING_METHODS = frozenset({"get", "pop", "setdefault", "__getitem__", "__getattribute__", "__getattr__"})
_NAMESPACES = frozenset({"builtins.globals", "builtins.locals", "builtins.vars"})
# Never a learner's file, whatever it is called: a file torch.py must not hide the library.
_LIBRARIES = sys.stdlib_module_names | {"torch", "numpy", "matplotlib"}
_LONGEST_QUOTE = 80
_MOST_MEANINGS = 200
"""An honest name may be a handful of things; ``x = x.a`` and ``x = x.b`` could be made to mean any number."""
_SEARCH_S: Final = 5.0
"""A search takes milliseconds, and only code that is made to hurt it takes a second."""


class Use(Model):
    """One place where learners' code uses what the rubric forbids."""

    name: str
    """The forbidden public name, as the rubric writes it."""
    path: str
    """The file; for a notebook with the cell: ``attention.ipynb, cell 3``."""
    line: int
    """The line in that file or cell, counted from 1."""
    how: str
    """What is done, to be read after the name: ``called through the alias `attend```."""


class Findings(NamedTuple):
    """What a search within its limits found."""

    uses: list[Use]
    cut_short: str = ""
    """Why not all of the code was searched, so that a person has to look; empty if all was."""
    unsearched: frozenset[tuple[str, str]] = frozenset()
    """Path and name of each definition that was left out because a stand-in takes its place, as it then has to."""


def find_forbidden(
    files: Sequence[SourceFile],
    entry: str,
    promised: Sequence[str],
    forbids: Sequence[Forbidden],
    stand_ins: Sequence[StandIn] = (),
    own_names: Collection[str] = (),
) -> list[Use]:
    """
    Return each use of a forbidden function that a promised name can reach.

    Args:
        files: The submission.
        entry: Path of the file that the promised names are taken from.
        promised: The names that the exercise promises.
        forbids: What the rubric forbids.
        stand_ins: What replaces the promised names of earlier exercises. A definition of which it takes all calls does
            not run here, so it is not followed; a mistake there costs its points in its own exercise.
        own_names: Promised names of earlier exercises that are not replaced where the entry defines them.

    Returns:
        The uses by file, the entry first, and line. Empty if there is none, or if ``entry`` is not among the files.
    """
    search = _begin(files, entry, forbids, stand_ins, own_names)
    if search is None:
        return []
    search.run(promised)
    return search.uses()


def search_within_limits(
    files: Sequence[SourceFile],
    entry: str,
    promised: Sequence[str],
    forbids: Sequence[Forbidden],
    stand_ins: Sequence[StandIn] = (),
    own_names: Collection[str] = (),
) -> Findings:
    """
    Look for what is forbidden in code that may be made to stop whoever reads it; see `find_forbidden`.

    What was found until then counts, and a search that did not come to its end says so: otherwise code could get rid of
    it by being slow to read.
    """
    search = _begin(files, entry, forbids, stand_ins, own_names)
    if search is None:
        return Findings([])
    try:
        with TimeLimit(_SEARCH_S):
            search.run(promised)
    except NeverEndsError:
        cut_short = "it took too long"
    except Exception as error:  # noqa: BLE001 - whatever strangers' code does to its reader must not end the grading
        cut_short = f"it ended with {type(error).__name__}"
    else:
        cut_short = "it is nested too deeply or too entangled" if search.cut_short else ""
    return Findings(search.uses(), cut_short, frozenset(search.unsearched))


def _begin(
    files: Sequence[SourceFile],
    entry: str,
    forbids: Sequence[Forbidden],
    stand_ins: Sequence[StandIn],
    own_names: Collection[str],
) -> "_Search | None":
    """Return a search that has not begun, or None if there is nothing to look for or nowhere to begin."""
    if not forbids or entry not in {file.path for file in files}:
        return None
    return _Search(files, entry, ForbiddenNames(forbids), stand_ins, own_names)


class _Library(NamedTuple):
    """Something in a library, by dotted name."""

    dotted: str


class _Own(NamedTuple):
    """A function or class of the submission."""

    node: Definition | ast.Lambda
    scope: Scope
    """Where it is defined."""


class _File(NamedTuple):
    """A file of the submission, imported."""

    module: Module


_Value: TypeAlias = _Library | _Own | _File


class _Bindings(NamedTuple):
    """All bindings of a name in one function or class, which mean what any of them does."""

    first: Binding
    number: int
    """Functions inside may add some."""


class _Effects(NamedTuple):
    """What calling a function changes outside it."""

    names: frozenset[tuple[Module, str]]
    """Top-level names that it binds or writes into."""
    parameters: bool
    """Whether it writes into an argument."""
    library: bool
    """Whether it changes a library or another file."""


_NO_EFFECTS = _Effects(frozenset(), parameters=False, library=False)


class _Search:
    """One search through a submission."""

    def __init__(
        self,
        files: Sequence[SourceFile],
        entry: str,
        names: ForbiddenNames,
        stand_ins: Sequence[StandIn],
        own_names: Collection[str],
    ) -> None:
        self._files = {file.path: file for file in files}
        self._dotted = {file.path.rsplit(".", 1)[0].removesuffix("/__init__").replace("/", "."): file for file in files}
        self._folders = {dotted[:end] for dotted in self._dotted for end, sign in enumerate(dotted) if sign == "."}
        self._modules: dict[str, Module] = {}
        self._names = names
        self._replaced = {name: signature for stand_in in stand_ins for name, signature in stand_in.signatures.items()}
        self._own_names = frozenset(own_names)
        self.unsearched: set[tuple[str, str]] = set()
        """Path and name of each definition that was not followed because it is replaced."""
        self._entry = entry
        self._imported: list[Module] = []
        self._reached_names: set[tuple[Module, str]] = set()
        self.cut_short = False
        """Whether a part of the code was too much to be looked at."""
        self._meanings: dict[Hashable, set[_Value]] = {}
        """What is known for good."""
        self._guesses: dict[Hashable, set[_Value]] = {}
        """What is known until now of what is being worked out."""
        self._done: set[Hashable] = set()
        """Those of the guesses that were made in this round."""
        self._open: set[Hashable] = set()
        """Those that are being made."""
        self._met_open = self._has_grown = False
        self._constants: dict[tuple[Binding, ...], object | None] = {}
        self._reached_bindings: set[Binding] = set()
        self._reached_nodes: set[ast.AST] = set()
        self._waiting: list[Callable[[], None]] = []
        """What is reached but not yet searched: a long row of functions that call each other is no deep recursion."""
        self._searched: list[Callable[[], None]] = []
        self._bound_from_inside = 0
        self._classes: list[tuple[ast.ClassDef, Scope]] = []
        self._mentions: set[str] = set()
        self._looks_up_methods = False
        self._effects: dict[ast.AST, _Effects] = {}
        self._uses: dict[tuple[str, str, int], Use] = {}
        self._aliases: set[tuple[str, str, int]] = set()
        """Uses that only give a name, which speak if nothing else does."""

    def run(self, promised: Sequence[str]) -> None:
        """Search from the promised names on."""
        entry = self._module(self._entry)
        self._import(entry)
        for name in promised:
            self._reach_name(entry, name)
            self._check_promised(entry, name)
        while self._waiting or self._reach_methods() or self._reach_statements():
            self._search_waiting()
            self._search_again_with_new_bindings()

    def uses(self) -> list[Use]:
        """Return what was found until now."""
        told = {key[0] for key in self._uses.keys() - self._aliases}
        uses = [use for key, use in self._uses.items() if key not in self._aliases or key[0] not in told]
        return sorted(uses, key=lambda use: (not use.path.startswith(self._entry), use.path, use.line))

    # --- files

    def _module(self, path: str) -> Module:
        if path not in self._modules:
            self._modules[path] = module = Module(self._files[path])
            if module.too_deep:
                how = "not ruled out: the code is nested too deeply to be searched"
                self._uses[self._names.first, module.too_deep, 1] = Use(
                    name=self._names.first, path=module.too_deep, line=1, how=how
                )
        return self._modules[path]

    def _find_file(self, dotted: str) -> Module | None:
        """Return the file that an import means: the path may have more or fewer folders in front than the import."""
        parts = dotted.split(".")
        if parts[0] in _LIBRARIES:
            return None
        for start in range(len(parts)):
            wanted = ".".join(parts[start:])
            if wanted in self._dotted:
                return self._module(self._dotted[wanted].path)
            ending = [file.path for name, file in self._dotted.items() if name.endswith(f".{wanted}")]
            if ending:
                return self._module(min(ending, key=lambda path: (path.count("/"), path)))
        return None

    def _import(self, module: Module) -> None:
        """Note that the file's top-level statements run, and those of the files that it imports."""
        if module in self._imported:
            return
        self._imported.append(module)
        for step in module.scope.steps:
            self._follow_imports(step.node)

    def _follow_imports(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            sources = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            sources = [f"{node.module}" if node.module else alias.name for alias in node.names]
        else:
            return
        for source in sources:
            module = self._find_file(source)
            if module is not None:
                self._import(module)

    # --- what an expression may mean

    def _means(self, node: ast.AST | None, scope: Scope, order: int | None = None) -> set[_Value]:
        """Return what an expression may be; ``order`` limits top-level names to what is bound before that statement."""
        match node:
            case ast.Name(id=name):
                return self._name_means(name, scope, order)
            case ast.NamedExpr(value=value) | ast.Starred(value=value):
                return self._means(value, scope, order)
            case ast.Lambda():
                return {_Own(node, scope)}
            case ast.Attribute() | ast.Subscript() | ast.Call() | ast.IfExp() | ast.BoolOp():
                return self._work_out((node, scope, order), lambda: self._expression_means(node, scope, order))
            case _:
                return set()

    def _expression_means(self, node: ast.expr, scope: Scope, order: int | None) -> set[_Value]:
        match node:
            case ast.Attribute(value=base, attr=name):
                values = self._means(base, scope, order)
                return {found for value in values for found in self._member(value, name)}
            case ast.Subscript(value=base, slice=index):
                return self._item_means(base, self._text(index, scope, order), scope, order)
            case ast.Call():
                return self._call_means(node, scope, order)
            case ast.IfExp(body=first, orelse=second):
                return self._means(first, scope, order) | self._means(second, scope, order)
            case ast.BoolOp(values=parts):
                return {found for part in parts for found in self._means(part, scope, order)}
            case _:
                return set()

    def _work_out(self, key: Hashable, compute: Callable[[], set[_Value]]) -> set[_Value]:
        """
        Return the meanings of a name or an expression that may depend on itself, as in ``x = x.view(…)``.

        Everything is computed once in a round. What is asked for while it is being computed answers with what is known
        until then, and while such answers were used and anything grew, there is another round.
        """
        if key in self._meanings:
            return self._meanings[key]
        if key in self._done:
            return self._guesses[key]
        if key in self._open:
            self._met_open = True
            return self._guesses.get(key, set())
        if self._open:
            return self._guess(key, compute)
        try:
            found = self._guess(key, compute)
            while self._met_open and self._has_grown:
                self._met_open = self._has_grown = False
                self._done.clear()
                found = self._guess(key, compute)
            self._meanings.update(
                (done, self._guesses[done]) for done in self._done if isinstance(done, (Binding, _Bindings))
            )
        except RecursionError:
            self.cut_short = True
            found = set()
            self._meanings.update((begun, set()) for begun in self._open if isinstance(begun, (Binding, _Bindings)))
        finally:
            for kept in (self._guesses, self._done, self._open):
                kept.clear()
            self._met_open = self._has_grown = False
        return found

    def _guess(self, key: Hashable, compute: Callable[[], set[_Value]]) -> set[_Value]:
        self._open.add(key)
        found = compute()
        self._open.discard(key)
        self._done.add(key)
        known = self._guesses.setdefault(key, set())
        if found <= known:
            return known
        if len(known | found) > _MOST_MEANINGS:
            self.cut_short = True
            return known or found
        self._has_grown = True
        self._guesses[key] = known | found
        return self._guesses[key]

    def _name_means(self, name: str, scope: Scope, order: int | None) -> set[_Value]:
        found = self._bindings(name, scope, order)
        if found is None:
            stars = [star.source.rpartition(".")[0] for star in scope.module.scope.star_imports]
            offered: set[_Value] = {
                _Library(f"{module}.{name}") for module in stars if name in self._names.offered_by(module)
            }
            return offered or {_Library(f"builtins.{name}")}
        if self._owner(name, scope) in (None, scope.module.scope):
            return {value for binding in found for value in self._binding_means(binding)}
        return self._all_mean(found)

    def _bindings(self, name: str, scope: Scope, order: int | None) -> list[Binding] | None:
        """Return the bindings that a name may have, or None if the submission does not bind it."""
        owner = self._owner(name, scope)
        if owner is None:
            return self._from_stars(name, scope.module)
        if owner.kind != "module":
            return owner.bindings[name]
        return self._holding(owner, name, order if owner is scope else None)

    @staticmethod
    def _owner(name: str, scope: Scope) -> Scope | None:
        """Return the scope whose name it is, or None if the file does not bind it."""
        current: Scope | None = scope
        while current is not None:
            is_hidden = current.kind == "class" and current is not scope
            if not is_hidden and name in current.bindings and name not in current.outer_names:
                return current
            current = current.parent
        return None

    @staticmethod
    def _holding(scope: Scope, name: str, order: int | None) -> list[Binding]:
        """Return the last binding that certainly holds, and those after it that perhaps do."""
        bindings = [binding for binding in scope.bindings[name] if order is None or binding.order <= order]
        stars = [star for star in scope.star_imports if order is None or star.order <= order]
        if not bindings and stars:
            return [star._replace(name=name) for star in stars]
        holding: list[Binding] = []
        for binding in reversed(bindings or scope.bindings[name]):
            holding.append(binding)
            if not binding.conditional:
                break
        later = [star for star in stars if star.order > holding[-1].order]
        return [*holding, *(star._replace(name=name) for star in later)]

    def _from_stars(self, name: str, module: Module) -> list[Binding] | None:
        """Return where ``from sibling import *`` takes a name from: the last that has it, or all those of a circle."""
        stars = [
            (star._replace(name=name), sibling)
            for star in reversed(module.scope.star_imports)
            if (sibling := self._find_file(star.source.rpartition(".")[0])) and self._binds(sibling, name, {module})
        ]
        in_circle = any(module in self._star_imported(sibling) for _, sibling in stars)
        return [star for star, _ in stars][: None if in_circle else 1] or None

    def _binds(self, module: Module, name: str, asked: Collection[Module] = ()) -> bool:
        """Return whether a file, or one that it imports with a star, binds a name; without asking some of them."""
        return any(name in other.scope.bindings for other in self._star_imported(module, asked))

    def _star_imported(self, module: Module, asked: Collection[Module] = ()) -> list[Module]:
        """Return a file and all that it imports with a star, and they in turn."""
        found = [module] if module not in asked else []
        for other in found:  # which grows meanwhile
            for star in other.scope.star_imports:
                sibling = self._find_file(star.source.rpartition(".")[0])
                if sibling is not None and sibling not in asked and sibling not in found:
                    found.append(sibling)
        return found

    def _binding_means(self, binding: Binding) -> set[_Value]:
        """Return what a binding at the top of a file means, in which the order counts."""
        # The earlier ones first, so that a long row of ``x = x.view(…)`` is no deep recursion.
        if binding not in self._meanings and binding not in self._guesses and binding not in self._open:
            for earlier in binding.scope.module.scope.bindings.get(binding.name, ()):
                if earlier.order < binding.order:
                    self._work_out(earlier, partial(self._follow_binding, earlier))
        return self._work_out(binding, partial(self._follow_binding, binding))

    def _all_mean(self, bindings: Sequence[Binding]) -> set[_Value]:
        """Return what a name with these bindings, all it has in a function or class, means."""
        return self._work_out(
            _Bindings(bindings[0], len(bindings)),
            lambda: {value for binding in bindings for value in self._follow_binding(binding)},
        )

    def _follow_binding(self, binding: Binding) -> set[_Value]:
        order = binding.order - 1 if binding.scope.kind == "module" else None
        match binding.kind:
            case "value":
                return self._means(binding.node, binding.scope, order)
            case "item" if isinstance(binding.node, (ast.List, ast.Tuple, ast.Set)):
                items = binding.node.elts
                return {value for item in items for value in self._means(item, binding.scope, order)}
            case "define" if isinstance(binding.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                return {_Own(binding.node, binding.scope)}
            case "import":
                return self._import_means(binding.source)
            case "from":
                source = binding.source
                if source.endswith(".*"):
                    source = f"{source[:-2]}.{binding.name}"
                    if self._find_file(source.rpartition(".")[0]) is None and not self._names.match(source):
                        return set()
                return self._from_import_means(source)
            case _:
                return set()

    def _import_means(self, dotted: str) -> set[_Value]:
        module = self._find_file(dotted)
        return {_Library(dotted)} if module is None else {_File(module)}

    def _from_import_means(self, source: str) -> set[_Value]:
        container, _, name = source.rpartition(".")
        module = self._find_file(container) if container else None
        if module is not None and self._binds(module, name):
            return self._member(_File(module), name)
        submodule = self._find_file(source)
        return {_Library(source)} if submodule is None else {_File(submodule)}

    def _member(self, value: _Value, name: str) -> set[_Value]:
        if isinstance(value, _Library):
            if name in value.dotted.split(".")[1:]:
                return {value}  # says no more, and ``x = x.nn`` would go on for ever
            dotted = f"{value.dotted}.{name}"
            module = self._find_file(dotted) if value.dotted in self._folders else None
            return {_Library(dotted)} if module is None else {_File(module)}
        if isinstance(value, _File):
            return self._name_means(name, value.module.scope, None) if self._binds(value.module, name) else set()
        if isinstance(value.node, ast.ClassDef):
            inner = value.scope.module.inner_scope(value.node, value.scope)
            return self._all_mean(inner.bindings[name]) if name in inner.bindings else set()
        return set()

    def _item_means(self, base: ast.expr, key: str | None, scope: Scope, order: int | None) -> set[_Value]:
        """Return what ``base[key]`` may be, for namespaces and the dictionaries of libraries."""
        if key is None:
            return set()
        if self._is_namespace(base, scope):
            return self._name_means(key, scope.module.scope, order)
        found = self._table_means(base, key, scope, order)
        for value in self._means(base, scope, order):
            if value == _Library("sys.modules"):
                found |= self._import_means(key)
            else:
                found |= self._member(value, key)
        return found

    def _table_means(self, base: ast.expr, key: str, scope: Scope, order: int | None) -> set[_Value]:
        """Return what stands under a key of a dictionary that is written out."""
        if isinstance(base, ast.Name):
            written = [(binding.node, binding.scope) for binding in self._bindings(base.id, scope, order) or ()]
        else:
            written = [(base, scope)]
        return {
            meaning
            for table, inner in written
            if isinstance(table, ast.Dict)
            for its_key, value in zip(table.keys, table.values, strict=True)
            if isinstance(its_key, ast.Constant) and its_key.value == key
            for meaning in self._means(value, inner, None)
        }

    def _is_namespace(self, node: ast.expr, scope: Scope) -> bool:
        if not isinstance(node, ast.Call) or node.args:
            return False
        return any(isinstance(v, _Library) and v.dotted in _NAMESPACES for v in self._means(node.func, scope))

    def _call_means(self, node: ast.Call, scope: Scope, order: int | None) -> set[_Value]:
        if isinstance(node.func, ast.Attribute) and node.func.attr in _LOOKING_METHODS and node.args:
            key = self._text(node.args[0], scope, order)
            found = self._item_means(node.func.value, key, scope, order)
            if found:
                return found
        callees = self._means(node.func, scope, order)
        if isinstance(node.func, ast.Call):
            callees = callees | (self._means(node.func.func, scope, order) & {_Library("operator.attrgetter")})
        return {
            found
            for callee in callees
            if isinstance(callee, _Library)
            for found in self._library_call_means(callee.dotted, node, scope, order)
        }

    def _library_call_means(self, dotted: str, node: ast.Call, scope: Scope, order: int | None) -> set[_Value]:
        def means(argument: ast.expr) -> set[_Value]:
            return self._means(argument, scope, order)

        def path_from(values: set[_Value], names: Sequence[str]) -> set[_Value]:
            for name in names:
                values = {found for value in values for found in self._member(value, name)}
            return values

        arguments = node.args
        texts = [self._text(argument, scope, order) for argument in arguments[:2]]
        match dotted, len(arguments):
            case ("builtins.getattr" | "inspect.getattr_static" | "builtins.object.__getattribute__", 2 | 3) if texts[
                1
            ]:
                return path_from(means(arguments[0]), [texts[1]]) | (means(arguments[2]) if arguments[2:] else set())
            case ("builtins.vars" | "builtins.staticmethod" | "functools.partial" | "copy.copy" | "copy.deepcopy", _):
                return means(arguments[0]) if arguments else set()
            case ("importlib.import_module" | "builtins.__import__", _) if texts and texts[0]:
                is_top_only = dotted == "builtins.__import__" and len(arguments) < 4 and not node.keywords
                return self._import_means(texts[0].partition(".")[0] if is_top_only else texts[0].lstrip("."))
            case ("pydoc.locate" | "pkgutil.resolve_name", _) if texts and texts[0]:
                return {_Library(texts[0].replace(":", "."))}
            case ("operator.attrgetter", 1) if isinstance(node.func, ast.Call) and node.func.args:
                path = self._text(node.func.args[0], scope, order)
                return path_from(means(arguments[0]), path.split(".")) if path else set()
            case ("functools.reduce", 3) if isinstance(arguments[1], (ast.List, ast.Tuple)):
                names = [self._text(item, scope, order) for item in arguments[1].elts]
                return path_from(means(arguments[2]), [name for name in names if name])
            case ("builtins.eval", _) if texts and texts[0]:
                tree = _parse_expression(texts[0], node)
                return means(tree) if tree is not None else set()
            case _:
                return set()

    def _text(self, node: ast.expr, scope: Scope, order: int | None) -> str | None:
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None

        def lookup(part: ast.expr) -> object | None:
            bindings = self._bindings(part.id, scope, order) if isinstance(part, ast.Name) else None
            return self._constant(tuple(bindings)) if bindings else None

        return fold_text(node, lookup)

    def _constant(self, bindings: tuple[Binding, ...]) -> object | None:
        """Return the text, or the list of texts, that a name with these bindings stands for."""
        if bindings not in self._constants:
            self._constants[bindings] = None  # for names that depend on themselves
            self._constants[bindings] = self._fold_bindings(bindings)
        return self._constants[bindings]

    def _fold_bindings(self, bindings: tuple[Binding, ...]) -> object | None:
        candidates: list[tuple[ast.expr, Binding]] = []
        for binding in bindings:
            if binding.kind == "item" and isinstance(binding.node, (ast.List, ast.Tuple)):
                candidates += [(item, binding) for item in binding.node.elts]
            elif binding.kind == "value" and isinstance(binding.node, ast.expr):
                candidates.append((binding.node, binding))
        for candidate, binding in candidates:
            order = binding.order - 1 if binding.scope.kind == "module" else None
            if isinstance(candidate, (ast.List, ast.Tuple)):
                texts = [self._text(item, binding.scope, order) for item in candidate.elts]
                if None not in texts:
                    return texts
            text = self._text(candidate, binding.scope, order)
            # Of several texts the one that is forbidden matters.
            if text is not None and (len(candidates) == 1 or self._names.match(f"torch.{text}")):
                return text
        return None

    # --- what is reached

    def _reach_name(self, module: Module, name: str) -> None:
        """Follow a top-level name to whatever it may be bound to."""
        if (module, name) in self._reached_names:
            return
        self._reached_names.add((module, name))
        self._import(module)
        bindings = self._bindings(name, module.scope, None)
        if bindings is None:
            if "__getattr__" in module.scope.bindings:
                self._reach_name(module, "__getattr__")
            return
        for binding in bindings:
            self._reach_binding(binding)

    def _reach_binding(self, binding: Binding) -> None:
        if binding in self._reached_bindings:
            return
        self._reached_bindings.add(binding)
        self._waiting.append(partial(self._search_binding, binding))

    def _search_waiting(self) -> None:
        while self._waiting:
            self._searched.append(self._waiting.pop())
            try:
                self._searched[-1]()
            except RecursionError:
                self.cut_short = True

    def _search_again_with_new_bindings(self) -> None:
        """Search once more if functions that were reached bind names outside them, which others have looked at."""
        bound = sum(module.bound_from_inside for module in self._modules.values())
        if bound > self._bound_from_inside:
            self._bound_from_inside = bound
            self._meanings.clear()
            self._constants.clear()
            self._waiting, self._searched = self._searched, []

    def _is_replaced(self, binding: Binding) -> bool:
        """Return whether a stand-in takes all calls of a definition, so that it never runs here."""
        signature = self._replaced.get(binding.name)
        if signature is None or binding.kind != "define" or binding.scope.kind != "module" or binding.node is None:
            return False
        path = binding.scope.module.file.path
        if (path == self._entry and binding.name in self._own_names) or not always_replaced(binding.node, signature):
            return False
        self.unsearched.add((path, binding.name))
        return True

    def _search_binding(self, binding: Binding) -> None:
        module = binding.scope.module
        if binding.kind == "from":
            container, _, name = binding.source.rpartition(".")
            sibling = self._find_file(container) if container else None
            if sibling is not None:
                self._reach_name(sibling, binding.name if name == "*" else name)
        elif binding.kind == "define":
            if not self._is_replaced(binding):
                self._reach_definition(binding.node, binding.scope)  # type: ignore[arg-type]
        elif binding.kind in ("value", "item") and binding.node is not None:
            order = binding.order - 1 if binding.scope.kind == "module" else None
            self._visit(binding.node, binding.scope, order)
            for value in self._means(binding.node, binding.scope, order):
                if binding.kind == "value" and isinstance(value, _Library) and self._names.match(value.dotted):
                    path, line = module.locate(binding.node)
                    self._aliases.add((self._names.match(value.dotted), path, line))

    def _reach_definition(self, node: Definition | ast.Lambda, scope: Scope) -> None:
        if node in self._reached_nodes:
            return
        self._reached_nodes.add(node)
        self._waiting.append(partial(self._search_definition, node, scope))

    def _search_definition(self, node: Definition | ast.Lambda, scope: Scope) -> None:
        if isinstance(node, ast.ClassDef):
            self._search_class(node, scope)
            return
        inner = scope.module.inner_scope(node, scope)
        decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
        for part in [*decorators, *node.args.defaults, *node.args.kw_defaults]:
            if part is not None:
                self._visit(part, scope, None)
        for step in inner.steps:
            self._visit_step(step, inner)

    def _search_class(self, node: ast.ClassDef, scope: Scope) -> None:
        for base in [*node.bases, *(keyword.value for keyword in node.keywords)]:
            self._visit(base, scope, None, how=f"the base class of `{node.name}`")
        for decorator in node.decorator_list:
            self._visit(decorator, scope, None)
        self._classes.append((node, scope))
        inner = scope.module.inner_scope(node, scope)
        for step in inner.steps:
            if not isinstance(step.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._visit_step(step, inner)

    def _reach_methods(self) -> bool:
        """Follow the methods that reached code names or torch calls; return whether there were new ones."""
        before = len(self._reached_nodes)
        for node, scope in list(self._classes):
            inner = scope.module.inner_scope(node, scope)
            for step in inner.steps:
                if isinstance(step.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    name = step.node.name
                    is_called = name in _CALLED_BY_TORCH or (name.startswith("__") and name.endswith("__"))
                    if is_called or name in self._mentions or self._looks_up_methods:
                        self._reach_definition(step.node, inner)
        return len(self._reached_nodes) > before

    def _reach_statements(self) -> bool:
        """Follow the top-level statements that write into something reached; return whether there were new ones."""
        before = len(self._reached_nodes)
        for module in list(self._imported):
            for step in module.scope.steps:
                if step.node not in self._reached_nodes and self._writes_to_reached(step, module.scope):
                    self._reached_nodes.add(step.node)
                    self._visit_step(step, module.scope)
                    if isinstance(step.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                        self._reached_nodes.discard(step.node)
                        self._reach_definition(step.node, module.scope)
        return len(self._reached_nodes) > before

    def _check_promised(self, module: Module, name: str) -> None:
        """Find a promised name that is nothing but the library's own function."""
        for binding in self._bindings(name, module.scope, None) or []:
            for value in self._binding_means(binding):
                forbidden = self._names.match(value.dotted) if isinstance(value, _Library) else ""
                if forbidden:
                    path, line = module.locate(binding.node or module.scope.steps[0].node)
                    self._add(
                        Use(name=forbidden, path=path, line=line, how=f"what the promised name `{name}` stands for")
                    )

    # --- mentions in reached code

    def _visit_step(self, step: Step, scope: Scope) -> None:
        node = step.node
        self._follow_imports(node)
        order = step.order if scope.kind == "module" else None
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            # Reached when it is named; but a decorator runs now and gets hold of it.
            if node.decorator_list and scope.kind != "class":
                self._reach_definition(node, scope)
            return
        self._visit(node, scope, order)

    def _visit(self, node: ast.AST, scope: Scope, order: int | None, *, how: str = "", called: bool = False) -> None:
        try:
            self._visit_node(node, scope, order, how=how, called=called)
        except RecursionError:
            # Nested deeper than people write: look at the parts one by one, without what is around them.
            self.cut_short = True
            for part in ast.walk(node):
                if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript)):
                    with suppress(RecursionError):
                        self._visit_node(part, scope, order)

    def _visit_node(
        self, node: ast.AST, scope: Scope, order: int | None, *, how: str = "", called: bool = False
    ) -> None:
        match node:
            case ast.Name(id=name):
                if isinstance(node.ctx, ast.Load):
                    self._reach_mention(name, scope, order)
                    self._report(node, scope, order, how=how, called=called)
                return
            case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
                self._mentions.add(name)
                if name == "__dict__":
                    self._looks_up_methods = True
                if self._report(node, scope, order, how=how, called=called):
                    return
                self._reach_member(node, scope, order)
                if any(
                    self._names.is_harmless(value.dotted)
                    for value in self._means(node, scope, order)
                    if isinstance(value, _Library)
                ):
                    return
            case ast.Subscript():
                if self._report(node, scope, order, how=how, called=called):
                    return
            case ast.Constant(value=str(text)):
                if text.isidentifier():
                    self._mentions.add(text)
                return
            case ast.Call():
                self._visit_call(node, scope, order, how=how, called=called)
                return
            case ast.Lambda():
                self._reach_definition(node, scope)
                return
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                scope, order = scope.module.inner_scope(node, scope), None
        for child in children(node):
            self._visit_node(child, scope, order)

    def _visit_call(self, node: ast.Call, scope: Scope, order: int | None, *, how: str, called: bool) -> None:
        if self._report(node, scope, order, how=how, called=called):
            return
        callees = {value.dotted for value in self._means(node.func, scope, order) if isinstance(value, _Library)}
        self._visit_node(node.func, scope, order, called=True)
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if callees & {"builtins.isinstance", "builtins.issubclass"}:
            arguments = node.args[:1]  # to be asked about is not to be used
        for argument in arguments:
            self._visit_node(argument, scope, order)
        self._visit_texts(node, callees, scope, order)

    def _visit_texts(self, node: ast.Call, callees: set[str], scope: Scope, order: int | None) -> None:
        """Look into strings that a call runs, compiles or takes for the name of something."""
        texts = [text for argument in node.args if (text := self._text(argument, scope, order)) is not None]
        self._mentions.update(text for text in texts if text.isidentifier())
        if callees & {"builtins.getattr", "operator.attrgetter", "operator.methodcaller"} and not texts:
            self._looks_up_methods = True
        if callees & _NAMESPACES | callees & {"builtins.dir"}:
            self._looks_up_methods = True
        for text in texts:
            if callees & {"builtins.exec", "builtins.eval", "builtins.compile"}:
                self._visit_text(text, node, scope, by=min(callees).rpartition(".")[2])
            elif callees & {"operator.methodcaller"} or any(_compiles(callee) for callee in callees):
                forbidden = self._names.match_in_text(text)
                if forbidden:
                    path, line = scope.module.locate(node)
                    self._add(Use(name=forbidden, path=path, line=line, how=f"named in a text for `{min(callees)}`"))

    def _visit_text(self, text: str, node: ast.Call, scope: Scope, *, by: str) -> None:
        try:
            tree = place(ast.parse(text.strip()), node)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        inner = Scope("function", scope.module, scope)
        inner.read(tree.body)
        before, waiting = dict(self._uses), self._waiting
        self._waiting = []
        for step in inner.steps:
            self._visit_step(step, inner)
            if isinstance(step.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._reach_definition(step.node, inner)
        self._search_waiting()
        self._waiting = waiting
        for key in self._uses.keys() - before.keys():
            self._uses[key] = self._uses[key].model_copy(update={"how": f"used in the text given to `{by}`"})

    def _reach_mention(self, name: str, scope: Scope, order: int | None) -> None:
        """Follow a name that reached code mentions."""
        bindings = self._bindings(name, scope, order)
        if bindings is None:
            return
        for binding in bindings:
            if binding.scope.kind == "module" and binding.scope is scope.module.scope and name not in scope.bindings:
                self._reach_name(scope.module, name)
            # It is replaced when its file has run, so what runs with the file gets hold of the learner's own.
            runs_with_file = _runs_with_file(scope) and scope.module is binding.scope.module
            if binding.kind == "define" and (runs_with_file or not self._is_replaced(binding)):
                self._reach_definition(binding.node, binding.scope)  # type: ignore[arg-type]
            elif scope.kind == "module" or binding.kind == "from":
                self._reached_names.add((scope.module, name))
                self._reach_binding(binding)

    def _reach_member(self, node: ast.Attribute | ast.Subscript, scope: Scope, order: int | None) -> None:
        """Follow ``heads.helper`` into the file, and ``globals()["helper"]`` into this one."""
        if isinstance(node, ast.Subscript):
            if self._is_namespace(node.value, scope) and isinstance(node.slice, ast.Constant):
                self._reach_name(scope.module, str(node.slice.value))
            return
        for value in self._means(node.value, scope, order):
            if isinstance(value, _File):
                self._reach_name(value.module, node.attr)

    def _report(self, node: ast.expr, scope: Scope, order: int | None, *, how: str, called: bool) -> bool:
        """Add a use if the expression is a forbidden function; return whether it is."""
        found = False
        for value in self._means(node, scope, order):
            dotted = value.dotted if isinstance(value, _Library) else ""
            forbidden = self._names.match(dotted)
            if forbidden:
                path, line = scope.module.locate(node)
                self._add(
                    Use(name=forbidden, path=path, line=line, how=how or _describe(node, dotted, forbidden, called))
                )
                found = True
        return found

    def _add(self, use: Use) -> None:
        self._uses.setdefault((use.name, use.path, use.line), use)

    # --- top-level statements that write into what is reached

    def _writes_to_reached(self, step: Step, scope: Scope) -> bool:
        node, order = step.node, step.order
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return any(self._hands_on(decorator, scope, order) for decorator in node.decorator_list) or (
                isinstance(node, ast.ClassDef) and self._joins_reached_class(node, scope)
            )
        if any(self._is_reached_place(target, scope, order) for target in _written_places(node)):
            return True
        return any(self._call_writes(call, scope, order) for call in _calls_in(node))

    def _joins_reached_class(self, node: ast.ClassDef, scope: Scope) -> bool:
        """Return whether a reached class can find this one among its subclasses."""
        if "__subclasses__" not in self._mentions and "__init_subclass__" not in self._mentions:
            return False
        bases = {value.node for base in node.bases for value in self._means(base, scope) if isinstance(value, _Own)}
        return bool(bases & self._reached_nodes)

    def _hands_on(self, decorator: ast.expr, scope: Scope, order: int | None) -> bool:
        """Return whether a decorator keeps the function where reached code finds it."""
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(function, ast.Attribute) and self._is_reached_place(function, scope, order):
            return True
        values = [value for value in self._means(function, scope, order) if isinstance(value, _Own)]
        return any(self._reaches(self._effects_of(value)) for value in values)

    def _call_writes(self, call: ast.Call, scope: Scope, order: int | None) -> bool:
        for value in self._means(call.func, scope, order):
            if isinstance(value, _Own):
                effects = self._effects_of(value)
                arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
                if self._reaches(effects):
                    return True
                if effects.parameters and any(self._is_reached_place(item, scope, order) for item in arguments):
                    return True
            elif value == _Library("builtins.setattr") and call.args:
                return self._is_reached_place(call.args[0], scope, order)
        if isinstance(call.func, ast.Attribute):
            receiver = call.func.value
            is_storing = call.func.attr in _STORING_METHODS
            if is_storing and (self._is_namespace(receiver, scope) or self._is_reached_place(receiver, scope, order)):
                return True
            owns = self._means(receiver, scope, order)
            return not owns and self._is_reached_name(receiver, scope)
        return False

    def _is_reached_place(self, node: ast.expr, scope: Scope, order: int | None) -> bool:
        """Return whether writing into this changes something that reached code, or any code, can see."""
        root = _root_of(node)
        if isinstance(root, ast.Call):
            return self._is_namespace(root, scope) or any(
                isinstance(value, _Library) for value in self._means(root, scope, order)
            )
        if not isinstance(root, ast.Name):
            return False
        if self._is_reached_name(root, scope):
            return True
        values = self._means(root, scope, order)
        return any(
            isinstance(value, _File) or (isinstance(value, _Library) and not value.dotted.startswith("builtins."))
            for value in values
        )

    def _is_reached_name(self, node: ast.expr, scope: Scope) -> bool:
        root = _root_of(node)
        return isinstance(root, ast.Name) and (scope.module, root.id) in self._reached_names

    def _reaches(self, effects: _Effects) -> bool:
        return effects.library or bool(effects.names & self._reached_names)

    def _effects_of(self, own: _Own) -> _Effects:
        """Return what calling a function, or making an object of a class, changes outside it."""
        if own.node in self._effects:
            return self._effects[own.node]
        self._effects[own.node] = _NO_EFFECTS  # for functions that call each other
        inner = own.scope.module.inner_scope(own.node, own.scope)
        if isinstance(own.node, ast.ClassDef):
            makers = [step.node for step in inner.steps if getattr(step.node, "name", "") in ("__init__", "__new__")]
            effects = [self._effects_of(_Own(maker, inner)) for maker in makers]  # type: ignore[arg-type]
            joined = frozenset().union(*(effect.names for effect in effects))
            # The object that is made is new, so writing into it reaches nobody.
            self._effects[own.node] = _Effects(joined, False, any(effect.library for effect in effects))  # noqa: FBT003
        else:
            self._effects[own.node] = self._collect_effects(inner)
        return self._effects[own.node]

    def _collect_effects(self, inner: Scope) -> _Effects:
        module = inner.module
        names = {(module, name) for name in inner.outer_names}
        parameters = library = False
        for step in inner.steps:
            places = list(_written_places(step.node))
            for call in _calls_in(step.node):
                is_setattr = isinstance(call.func, ast.Name) and call.func.id == "setattr"
                if is_setattr and call.args:
                    places.append(call.args[0])
                elif isinstance(call.func, ast.Attribute) and call.func.attr in _STORING_METHODS:
                    places.append(call.func.value)
                for value in self._means(call.func, inner):
                    if isinstance(value, _Own):
                        nested = self._effects_of(value)
                        names |= nested.names
                        library = library or nested.library
            for place_written in places:
                root = _root_of(place_written)
                if isinstance(root, ast.Name) and root.id in inner.bindings:
                    parameters = parameters or any(b.scope is not inner for b in inner.bindings[root.id])
                elif isinstance(root, ast.Name) and root.id in module.scope.bindings:
                    names.add((module, root.id))
                    values = self._means(root, inner)
                    library = library or any(isinstance(value, (_Library, _File)) for value in values)
                elif isinstance(root, ast.Call):
                    library = library or self._is_namespace(root, inner)
        return _Effects(frozenset(names), parameters, library)


def _describe(node: ast.expr, dotted: str, forbidden: str, called: bool) -> str:  # noqa: FBT001
    verb = "called" if called else "used"
    leaf = forbidden.rpartition(".")[2]
    if leaf not in dotted.split("."):
        return f"{verb} in another form, `{dotted}`"
    if isinstance(node, ast.Name):
        return f"{verb} here" if node.id == leaf else f"{verb} through the alias `{node.id}`"
    quoted = ast.unparse(node)
    return f"{verb} as `{quoted}`" if len(quoted) <= _LONGEST_QUOTE else f"{verb} as `{quoted[:_LONGEST_QUOTE]}…`"


def _runs_with_file(scope: Scope) -> bool:
    """Return whether what stands in a scope runs when its file does, and not in a later call."""
    current: Scope | None = scope
    while current is not None and current.kind != "function":
        current = current.parent
    return current is None


def _compiles(callee: str) -> bool:
    """Return whether a function of torch takes the text or the name of an operation."""
    return callee.startswith(("torch.jit.", "torch.library.", "torch.ops.", "torch._C._jit", "torch._C._dispatch"))


def _root_of(node: ast.expr) -> ast.expr:
    """Return what stands before all the dots and brackets."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return node


def _written_places(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the attributes and items that a statement assigns to."""
    targets: Sequence[ast.expr] = ()
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        targets = [node.target]
    for target in targets:
        for part in ast.walk(target):
            if isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.ctx, ast.Store):
                yield part


def _calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls that run when a statement runs."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(current, ast.Call):
            yield current
        waiting.extend(children(current))


def _parse_expression(text: str, node: ast.AST) -> ast.expr | None:
    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    statement = place(tree, node).body[0] if tree.body else None
    return statement.value if isinstance(statement, ast.Expr) else None
