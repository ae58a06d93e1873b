"""Join a stub and its solution into one text, with the markers between which nbgrader takes solutions out."""

import ast
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.model.errors import CourseError

BEGIN: Final = "### BEGIN SOLUTION"
END: Final = "### END SOLUTION"

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Parts(NamedTuple):
    """What a notebook shows of an exercise's files."""

    docstring: str
    shared: str
    """Imports, and whatever else stands at the top level and is not to be written; without imports of siblings."""
    answers: tuple[tuple[str, str], ...]
    """Name and text of each definition to be written, with its solution between the markers."""


class _Hole(NamedTuple):
    """The lines, counted from 0, that a learner replaces: comments and the line that raises."""

    qualified_name: str
    first: int
    end: int


def join_solution(exercise: str, stub: str, solution: str, siblings: Sequence[str]) -> Parts:
    """
    Return the parts of an exercise.

    Args:
        exercise: Its id, for messages.
        stub: The text that learners begin with.
        solution: The same with bodies.
        siblings: Ids of the course's exercises: what is imported from them stands in the same notebook.

    Raises:
        CourseError: If the two differ in more than bodies.
    """
    stub_tree, solution_tree = ast.parse(stub), ast.parse(solution)
    solved = {node.name: node for node in solution_tree.body if isinstance(node, _Definition)}
    stub_lines, solution_lines = stub.split("\n"), solution.split("\n")
    shared: list[str] = []
    answers: list[tuple[str, str]] = []
    for node in stub_tree.body:
        if _is_docstring(node, stub_tree):
            continue
        if isinstance(node, ast.ImportFrom) and node.module in siblings:
            continue
        text = stub_lines[_first_line(node) : node.end_lineno]
        holes = list(_holes(node, stub_lines))
        if not holes or not isinstance(node, _Definition):
            shared.append("\n".join(text))
            continue
        if node.name not in solved:
            raise CourseError(f"solutions/{exercise}.py: {node.name} is missing; a solution is its stub with bodies.")
        answers.append((node.name, _fill(exercise, node, solved[node.name], stub_lines, solution_lines)))
    # Imports stay together; a definition that is given whole has its blank lines.
    glue = ["\n\n\n" if line.lstrip().startswith(("def ", "class ", "@")) else "\n" for line in shared]
    joined = "".join(f"{gap}{text}" for gap, text in zip(glue, shared, strict=True)).strip("\n")
    return Parts(ast.get_docstring(stub_tree) or "", joined, tuple(answers))


def _fill(
    exercise: str, stub: _Definition, solution: _Definition, stub_lines: Sequence[str], solution_lines: Sequence[str]
) -> str:
    """Return a definition's text with what stands in the solution in place of each hole, between the markers."""
    bodies = dict(_functions(solution))
    starts = {name: _first_line(node) for name, node in _functions(stub)}
    lines: list[str] = []
    at_stub, at_solution = _first_line(stub), _first_line(solution)
    for hole in _holes(stub, stub_lines):
        kept = list(stub_lines[at_stub : hole.first])
        body = bodies.get(hole.qualified_name)
        if body is None:
            raise CourseError(f"solutions/{exercise}.py: {hole.qualified_name} is missing; a solution is its stub.")
        begin = _first_line(body) + hole.first - starts[hole.qualified_name]
        _refuse_if_not(exercise, hole.qualified_name, kept == list(solution_lines[at_solution:begin]))
        indent = " " * (len(stub_lines[hole.end - 1]) - len(stub_lines[hole.end - 1].lstrip()))
        advice = [line for line in stub_lines[hole.first : hole.end] if line.lstrip().startswith("#")]
        end = body.end_lineno or begin
        lines += [*kept, *advice, f"{indent}{BEGIN}", *solution_lines[begin:end], f"{indent}{END}"]
        at_stub, at_solution = hole.end, end
    rest = list(stub_lines[at_stub : stub.end_lineno])
    _refuse_if_not(exercise, stub.name, rest == list(solution_lines[at_solution : solution.end_lineno]))
    return "\n".join([*lines, *rest])


def _refuse_if_not(exercise: str, name: str, same: bool) -> None:  # noqa: FBT001
    if not same:
        raise CourseError(
            f"solutions/{exercise}.py: {name} differs from exercises/{exercise}.py in more than what stands in "
            "place of `raise NotImplementedError`. A solution is its stub with bodies: make the rest equal."
        )


def _functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield f"{prefix}{node.name}", node
    elif isinstance(node, ast.ClassDef):
        for inner in node.body:
            yield from _functions(inner, f"{prefix}{node.name}.")


def _holes(node: ast.stmt, lines: Sequence[str]) -> Iterator[_Hole]:
    for name, function in _functions(node):
        last = function.body[-1]
        if not isinstance(last, ast.Raise) or last.exc is None or "NotImplementedError" not in ast.unparse(last.exc):
            continue
        first = last.lineno - 1
        while lines[first - 1].lstrip().startswith("#"):
            first -= 1
        yield _Hole(name, first, last.end_lineno or last.lineno)


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    first: int = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return first - 1


def _is_docstring(node: ast.stmt, tree: ast.Module) -> bool:
    return node is tree.body[0] and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
