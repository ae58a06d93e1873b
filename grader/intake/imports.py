"""Which files of a submission a file imports, directly or through others."""

import ast
from collections.abc import Collection, Iterator

from grader.intake.parsing import parse_source
from grader.model.submission import Submission


def files_used_by(submission: Submission, path: str | None, replaced: Collection[str] = ()) -> set[str]:
    """
    Return the paths of the submission's files whose code ``path`` may use, itself included if it is there.

    Args:
        submission: What was handed in.
        path: Where to begin; None for an exercise that no file provides.
        replaced: Names for which stand-ins are used: a file that nothing else is imported from does not matter.
    """
    files = {file.path: file for file in submission.files}
    used: set[str] = set()
    waiting = [path] if path in files else []
    while waiting:
        current = waiting.pop()
        if current in used or current is None:
            continue
        used.add(current)
        names = {name for cell in files[current].cells for name in _imported_names(cell.text, replaced)}
        waiting += [other for other in files if _module_name(other) in names]
    return used


def _imported_names(text: str, replaced: Collection[str]) -> Iterator[str]:
    """Yield the last part of every module name that a source imports; names imported from a package count too."""
    tree = parse_source(text)
    if tree is None:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.rsplit(".", 1)[-1] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if all(alias.name in replaced for alias in node.names):
                continue
            if node.module:
                yield node.module.rsplit(".", 1)[-1]
            yield from (alias.name for alias in node.names)


def _module_name(path: str) -> str:
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
