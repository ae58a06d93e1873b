"""Read what a course's Python files say about themselves, without running them."""

import ast
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from grader.course.yaml_source import parse_yaml
from grader.model.base import Model
from grader.model.course import Chaff, CheckClaim
from grader.model.errors import CourseError
from grader.model.picture import PictureClaim


class SuiteCheck(Model):
    """A test function of a hidden suite."""

    claim: CheckClaim
    depends_on: tuple[str, ...] = ()
    line: int


class Combination(Model):
    """The docstring of a chaff that makes several mistakes at once, each of which has a chaff of its own."""

    combines: tuple[str, ...] = Field(min_length=2)
    """Ids of these chaffs."""


class _ChaffText(Model):
    """The docstring of a chaff."""

    misconception: str
    explanation: str
    numbers: str = ""
    look_at: str
    loses: tuple[str, ...]


def parse_python(path: Path, shown: str) -> ast.Module:
    """Return a file's syntax tree; `CourseError` if it is missing or no Python."""
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"{shown}: this file is missing. Each exercise of a course needs it.") from None
    except SyntaxError as error:
        raise CourseError(f"{shown}: line {error.lineno}: {error.msg}.") from None


def promised_names(stub: ast.Module) -> tuple[str, ...]:
    """Return the public functions and classes that a stub defines."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return tuple(node.name for node in stub.body if isinstance(node, kinds) and not node.name.startswith("_"))


def suite_checks(suite: ast.Module, shown: str) -> list[SuiteCheck]:
    """Return the checks of a hidden suite in order; `CourseError` for one that is no claim of its own."""
    for node in suite.body:
        for decorator in getattr(node, "decorator_list", ()):
            if "parametrize" in ast.unparse(decorator):
                raise CourseError(
                    f"{shown}: line {decorator.lineno}: parametrize makes several checks of one function. Each check "
                    "is one claim: loop inside it, or write a function for each."
                )
    return [
        SuiteCheck(claim=CheckClaim(id=name, title=title, why=why), depends_on=_dependencies(node), line=node.lineno)
        for node, name, title, why in _described(suite, "test_", shown, "the claim")
    ]


def picture_claims(pictures: ast.Module, shown: str) -> list[PictureClaim]:
    """Return what an exercise's pictures show, in order; `CourseError` for a picture without a docstring."""
    return [
        PictureClaim(name=name, title=title, about=about)
        for _, name, title, about in _described(pictures, "picture_", shown, "what the picture shows")
    ]


def _described(
    module: ast.Module, prefix: str, shown: str, what: str
) -> Iterator[tuple[ast.FunctionDef, str, str, str]]:
    """Yield each function with this prefix, its name without it, its docstring's first line, and the rest of it."""
    lines: dict[str, int] = {}
    for node in module.body:
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith(prefix):
            continue
        if node.name in lines:
            raise CourseError(
                f"{shown}: line {node.lineno}: {node.name} is defined a second time, after line {lines[node.name]}, "
                "so the first would never run. Give one of them another name."
            )
        lines[node.name] = node.lineno
        docstring = ast.get_docstring(node)
        if not docstring:
            raise CourseError(f"{shown}: line {node.lineno}: {node.name} has no docstring; its first line is {what}.")
        title, _, rest = docstring.partition("\n")
        yield node, node.name.removeprefix(prefix), title.strip(), " ".join(rest.split())


def read_chaff(path: Path, shown: str) -> Chaff | Combination:
    """Return what a chaff says of itself; `CourseError` where its docstring is not as it should be."""
    docstring = ast.get_docstring(parse_python(path, shown), clean=False)
    if not docstring:
        raise CourseError(f"{shown}: the file must begin with a docstring that names its misconception.")
    if docstring.lstrip().startswith("combines:"):
        return parse_yaml(docstring, Combination, shown)
    text = parse_yaml(docstring, _ChaffText, shown)
    return Chaff(id=path.stem, **text.model_dump())


def _dependencies(test: ast.FunctionDef) -> tuple[str, ...]:
    """Return the arguments of ``@pytest.mark.depends_on("…", …)``."""
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.depends_on":
            return tuple(str(ast.literal_eval(argument)) for argument in decorator.args)
    return ()
