"""Make mutants of a solution: the same code with one small thing changed."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from grader.model.errors import GraderError
from grader.model.extras import install_command

if TYPE_CHECKING:
    import libcst


class MutantName(NamedTuple):
    """What tells mutants of one solution apart, and stays the same when lines move, are wrapped or get comments."""

    function: str
    """Where the change is, such as ``PositionalEncoding.forward``."""
    operator: str
    """What kind of change it is: the name of mutmut's operator."""
    before: str
    """The statement, in the normal form of ``ast.unparse``: one line, no comments."""
    after: str
    """What it became, in the same form."""

    def __str__(self) -> str:
        return f"in {self.function}, {self.operator}: {self.before!r} became {self.after!r}"


@dataclass(frozen=True)
class Mutant:
    """One changed solution."""

    name: MutantName
    text: str
    """The whole source."""


def make_mutants(solution: str) -> tuple[Mutant, ...]:
    """
    Return every mutant of a solution that differs from it and from the other mutants.

    Mutated are bodies of functions and default values of parameters. Docstrings, annotations, decorators, imports and
    what is raised stay as they are: nobody grades the words of an exception.

    Raises:
        GraderError: If mutmut is not installed.
    """
    try:
        import libcst
        from mutmut.mutation.mutators import mutation_operators
    except ImportError:
        message = f"mutants are made by mutmut, which is not installed: {install_command('authoring')}"
        raise GraderError(message) from None
    original = normal_form(solution)
    module = libcst.parse_module(original)
    known = {original}
    mutants = []
    for function, node in _places(module):
        for kind, operator in mutation_operators:
            if not isinstance(node, kind):
                continue
            for changed in operator(node):
                mutated = module.deep_replace(node, changed)
                assert isinstance(mutated, libcst.Module)
                try:
                    text = normal_form(mutated.code)
                except SyntaxError:
                    continue  # not every change gives Python
                if text in known:
                    continue
                known.add(text)
                before, after = _difference(original, text)
                name = MutantName(function, operator.__name__.removeprefix("operator_"), before, after)
                mutants.append(Mutant(name, text))
    return tuple(mutants)


def normal_form(source: str) -> str:
    """Return the source with one line for each statement and without comments."""
    return ast.unparse(ast.parse(source)) + "\n"


def _places(module: "libcst.Module") -> Iterator[tuple[str, "libcst.CSTNode"]]:
    """Yield each node that may be changed, with the dotted name of its function."""
    import libcst

    untouched = (libcst.Annotation, libcst.Decorator, libcst.Import, libcst.ImportFrom, libcst.Raise)
    definitions = (libcst.FunctionDef, libcst.ClassDef)

    def visit(node: "libcst.CSTNode", path: tuple[str, ...], *, inside: bool) -> Iterator[tuple[str, "libcst.CSTNode"]]:
        is_docstring = isinstance(node, libcst.Expr) and isinstance(node.value, libcst.SimpleString)
        if isinstance(node, untouched) or is_docstring:
            return
        if inside:
            yield ".".join(path), node
        if isinstance(node, definitions):
            path = (*path, node.name.value)
            inside = inside or isinstance(node, libcst.FunctionDef)
        for child in node.children:
            yield from visit(child, path, inside=inside)

    yield from visit(module, (), inside=False)


def _difference(original: str, mutated: str) -> tuple[str, str]:
    """Return the lines that differ, before and after, without their indentation."""
    before, after = original.splitlines(), mutated.splitlines()
    while before and after and before[0] == after[0]:
        del before[0], after[0]
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    return "\n".join(line.strip() for line in before), "\n".join(line.strip() for line in after)
