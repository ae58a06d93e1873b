"""Work out strings that source code builds from constants, without running it."""

import ast
import base64
import codecs
from collections.abc import Callable
from typing import Any, TypeAlias

Lookup: TypeAlias = Callable[[ast.expr], object | None]
"""Gives the constant that a name stands for, or None."""

# Enough for any name, far too little to make the grader work: ``"a" * 10**9`` and loops in loops are given up.
_LONGEST = 2_000
_MOST_STEPS = 4_000

_PLAIN_METHODS = frozenset(
    {"lower", "upper", "strip", "lstrip", "rstrip", "swapcase", "capitalize", "title", "replace", "removeprefix",
     "removesuffix", "format", "join", "split", "encode", "decode"}
)  # fmt: skip

_FUNCTIONS = frozenset({"map", "chr", "str", "reversed", "b64decode", "fromhex"})


def fold_text(node: ast.expr, lookup: Lookup) -> str | None:
    """Return the string that an expression always gives, or None if that cannot be told."""
    value = _Folder(lookup).fold(node)
    if isinstance(value, bytes):  # eval and exec take bytes as well
        value = value.decode("utf-8", "replace")
    return value if isinstance(value, str) else None


class _Folder:
    """Computes constants within a fixed number of steps."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookups = [lookup]
        self._steps = 0

    def fold(self, node: ast.expr) -> Any:
        """Return the constant, a string, bytes, an integer or a list of these, or None."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, (str, bytes, int)) else None
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return None
        try:
            value = self._fold(node)
        except (ValueError, TypeError, LookupError, OverflowError, AttributeError):
            return None
        return None if isinstance(value, (str, bytes, list)) and len(value) > _LONGEST else value

    def _fold(self, node: ast.expr) -> Any:
        match node:
            case ast.Name() | ast.Attribute():
                return self._lookups[-1](node)
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return self._fold_all(elements)
            case ast.JoinedStr(values=parts):
                texts = self._fold_all([part.value if isinstance(part, ast.FormattedValue) else part for part in parts])
                return None if texts is None else "".join(map(str, texts))
            case ast.BinOp(left=left, op=operator, right=right):
                return _operate(self.fold(left), operator, self.fold(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self.fold(operand)
                return -number if isinstance(number, int) else None
            case ast.Subscript(value=base, slice=index):
                return self._fold_subscript(self.fold(base), index)
            case ast.ListComp() | ast.GeneratorExp():
                return self._fold_comprehension(node)
            case ast.Call():
                return self._fold_call(node)
            case _:
                return None

    def _fold_all(self, nodes: list[ast.expr]) -> list[Any] | None:
        values = [value for value in map(self.fold, nodes) if value is not None]
        return values if len(values) == len(nodes) else None

    def _fold_subscript(self, base: Any, index: ast.expr) -> Any:
        if not isinstance(base, (str, list)):
            return None
        if isinstance(index, ast.Slice):
            ends = [None if end is None else self.fold(end) for end in (index.lower, index.upper, index.step)]
            return base[slice(*ends)]
        position = self.fold(index)
        return base[position] if isinstance(position, int) else None

    def _fold_comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> Any:
        generator = node.generators[0]
        items = self.fold(generator.iter)
        if len(node.generators) > 1 or generator.ifs or not isinstance(items, (str, list)):
            return None
        outer, results = self._lookups[-1], []
        for item in items:
            self._lookups.append(_with_name(generator.target, item, outer))
            results.append(self.fold(node.elt))
            self._lookups.pop()
        return None if None in results else results

    def _fold_call(self, node: ast.Call) -> Any:
        name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
        if name not in _PLAIN_METHODS and name not in _FUNCTIONS:
            return None
        arguments = self._fold_all(node.args)
        match node.func:
            case ast.Name(id="map") if len(node.args) == 2 and isinstance(node.args[0], ast.Name):
                items = self.fold(node.args[1])
                is_chr = node.args[0].id == "chr" and isinstance(items, list)
                return [chr(item) for item in items] if is_chr else None
            case _ if arguments is None or node.keywords:
                return None
            case ast.Name(id="chr"):
                return chr(arguments[0])
            case ast.Name(id="str") if len(arguments) == 1:
                return str(arguments[0])
            case ast.Name(id="reversed") if isinstance(arguments[0], (str, list)):
                return list(arguments[0])[::-1]
            case ast.Attribute(attr="decode", value=ast.Name(id="codecs")) if isinstance(arguments[0], str):
                return codecs.decode(arguments[0], "rot13") if arguments[1] in ("rot13", "rot_13") else None
            case ast.Attribute(attr="b64decode") | ast.Name(id="b64decode") if isinstance(arguments[0], (str, bytes)):
                return base64.b64decode(arguments[0])
            case ast.Attribute(attr="fromhex", value=ast.Name(id="bytes")) if isinstance(arguments[0], str):
                return bytes.fromhex(arguments[0])
            case ast.Attribute(attr=method, value=base) if method in _PLAIN_METHODS:
                text = self.fold(base)
                # A format such as ``{:>999999999}`` makes a huge text of a short one.
                is_plain = isinstance(text, (str, bytes)) and not (method == "format" and ":" in str(text))
                return getattr(text, method)(*arguments) if is_plain else None
            case _:
                return None


def _with_name(target: ast.expr, item: Any, outer: Lookup) -> Lookup:
    """Return a lookup in which the loop's name stands for one item."""

    def lookup(node: ast.expr) -> Any:
        is_target = isinstance(target, ast.Name) and isinstance(node, ast.Name) and node.id == target.id
        return item if is_target else outer(node)

    return lookup


def _operate(left: Any, operator: ast.operator, right: Any) -> Any:
    match operator, left, right:
        case ast.Add(), str(), str():
            return left + right
        case ast.Add(), list(), list():
            return left + right
        case ast.Add(), int(), int():
            return left + right
        # Digits and stars in a format give widths, which make a huge text of a short one.
        case ast.Mod(), str(), _ if right is not None and not any(c.isdigit() or c == "*" for c in left):
            return left % (tuple(right) if isinstance(right, list) else right)
        case ast.Mult(), str(), int() if len(left) * right <= _LONGEST:
            return left * right
        case _:
            return None
