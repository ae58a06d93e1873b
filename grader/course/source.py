"""Read what a course's Python files say about themselves, without running them."""

import ast
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
    """Return the checks of a hidden suite in order; `CourseError` for a test without a docstring."""
    checks = []
    for node in suite.body:
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
            continue
        docstring = ast.get_docstring(node)
        if not docstring:
            raise CourseError(
                f"{shown}: line {node.lineno}: {node.name} has no docstring; its first line is the claim."
            )
        title, _, why = docstring.partition("\n")
        claim = CheckClaim(id=node.name.removeprefix("test_"), title=title.strip(), why=" ".join(why.split()))
        checks.append(SuiteCheck(claim=claim, depends_on=_dependencies(node), line=node.lineno))
    return checks


def picture_claims(pictures: ast.Module, shown: str) -> list[PictureClaim]:
    """Return what an exercise's pictures show, in order; `CourseError` for a picture without a docstring."""
    claims = []
    for node in pictures.body:
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("picture_"):
            continue
        docstring = ast.get_docstring(node)
        if not docstring:
            raise CourseError(
                f"{shown}: line {node.lineno}: {node.name} has no docstring; its first line is what the picture shows."
            )
        title, _, about = docstring.partition("\n")
        name = node.name.removeprefix("picture_")
        claims.append(PictureClaim(name=name, title=title.strip(), about=" ".join(about.split())))
    return claims


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
