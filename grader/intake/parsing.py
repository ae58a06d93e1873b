"""Parse learners' source, which may be anything, without running it."""

import ast
import re
import warnings

MAX_PARSED = 512 * 1024
"""Characters; a syntax tree is some two hundred times as large as its source."""

_DEFINITION = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)


def parse_source(text: str) -> ast.Module | None:
    """Return the syntax tree, or ``None`` for what Python would not compile or what is too large or too deep."""
    if len(text) > MAX_PARSED:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in a string is the learner's affair
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def scan_definitions(text: str) -> list[str]:
    """Return the names that unindented ``def`` and ``class`` lines give, for source that does not parse."""
    return [found[1] for found in _DEFINITION.finditer(text)]
