"""Read what somebody predicted: a number, several numbers, a choice or an order, in whatever way it was typed."""

import ast
import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import Final

Value = float | tuple[float, ...] | str
"""A number, several numbers, or letters: one for a choice, all of them for an order."""

_LONGEST: Final = 200
_MOST_NUMBERS: Final = 12
_OPERATORS: Final[dict[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS: Final[dict[str, Callable[[float], float]]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "ln": math.log,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "abs": abs,
}
_CONSTANTS: Final = {"pi": math.pi, "e": math.e}
_TYPOGRAPHY: Final = str.maketrans({"×": "*", "·": "*", "−": "-", "–": "-", "÷": "/", "^": "**", "π": " pi "})
_WRAPPER: Final = re.compile(r"(?:torch\.Size|tuple|list|Size)?\s*([(\[])(.*)([)\]])", re.DOTALL)
_LETTERS: Final = re.compile(r"[^\W\d_]")


def read_number(typed: str) -> float:
    """
    Return the number that a text stands for.

    Such as ``8``, ``64.0``, ``1/8``, ``sqrt(64)``, ``ln(8)``, ``2^3``, ``32^2 * 64`` or ``12.5%``.

    Raises:
        ValueError: If it is no number, in one sentence that says what was expected.
    """
    text = _bounded(typed)
    if re.fullmatch(r"[+-]?\d{1,3}(?:,\d{3})+|[+-]?\d+,\d+", text):
        raise ValueError(f"expected one number, found {text!r}; write a decimal point and no thousands separator")
    percent = text.endswith("%")
    plain = re.sub(r"√\s*(\d+(?:\.\d+)?)", r"sqrt(\1)", text.removesuffix("%")).replace("√", "sqrt")
    plain = plain.translate(_TYPOGRAPHY).strip().removeprefix("=").strip()
    try:
        value = _evaluate(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError, TypeError) as error:
        named = f" ({error})" if isinstance(error, _NameFoundError) else ""
        raise ValueError(f"expected a number such as 8, 0.125, 1/8, sqrt(64) or ln(8), found {text!r}{named}") from None
    if not math.isfinite(value):
        raise ValueError(f"expected a finite number, found {text!r}")
    return value / 100 if percent else value


def read_numbers(typed: str, count: int) -> tuple[float, ...]:
    """
    Return several numbers: ``8, 64``, ``(8, 64)``, ``[8, 64]``, ``8 64``.

    Raises:
        ValueError: If there are not so many, or one is none.
    """
    text = _bounded(typed)
    while (wrapped := _WRAPPER.fullmatch(text)) and _closes_at_end(text[wrapped.start(1) :]):
        text = wrapped[2].strip()
    parts = _split(text.rstrip(","), ",;")
    if len(parts) == 1 and count > 1:
        parts = text.split()
    if len(parts) != count or len(parts) > _MOST_NUMBERS:
        raise ValueError(f"expected {count} numbers with commas between them, found {_bounded(typed)!r}")
    return tuple(read_number(part) for part in parts)


def read_choice(typed: str, options: Sequence[str]) -> str:
    """
    Return the letter of an option, which may be typed as ``b``, ``(b)``, ``B.`` or as the option's own words.

    Raises:
        ValueError: If it is none of them.
    """
    text = _bounded(typed)
    letters = letters_of(options)
    said = text.strip("().:[]'\" ").casefold()
    if len(said) == 1 and said in letters:
        return said
    same = [letter for letter, option in zip(letters, options, strict=True) if _words(option) == _words(text)]
    if len(same) == 1:
        return same[0]
    raise ValueError(f"expected one of the letters {', '.join(letters)}, found {text!r}")


def read_order(typed: str, options: Sequence[str]) -> str:
    """
    Return the letters in the order in which they were typed: ``c a b``, ``cab``, ``c > a > b``, ``[c, a, b]``.

    Raises:
        ValueError: If they are not each letter once.
    """
    text = _bounded(typed)
    letters = "".join(_LETTERS.findall(text.casefold()))
    if sorted(letters) != sorted(letters_of(options)):
        raise ValueError(f"expected each of the letters {', '.join(letters_of(options))} once, found {text!r}")
    return letters


def letters_of(options: Sequence[str]) -> str:
    """Return the letters that options go by: ``abc`` for three."""
    return "abcdefghijkl"[: len(options)]


def show_value(value: Value) -> str:
    """Return a value as a person would type it: ``8``, ``0.1667``, ``8, 64``, ``b``, ``c a b``."""
    if isinstance(value, str):
        return " ".join(value)
    if isinstance(value, tuple):
        return ", ".join(show_value(part) for part in value)
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.4g}"


def same_value(one: Value, other: Value, tolerance: float) -> bool:
    """Whether two values are the same; numbers may differ by this share of the other one."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    ones, others = (value if isinstance(value, tuple) else (value,) for value in (one, other))
    # A millionth of the number is what a sum of fractions may be off by.
    return len(ones) == len(others) and all(
        abs(a - b) <= max(tolerance, 1e-6) * abs(b) + 1e-9 for a, b in zip(ones, others, strict=True)
    )


class _NameFoundError(ValueError):
    """A word stands where a number was expected."""


def _bounded(typed: str) -> str:
    text = typed.strip()
    if not text:
        raise ValueError("expected an answer, found nothing")
    if len(text) > _LONGEST:
        raise ValueError(f"expected an answer of at most {_LONGEST} characters, found {len(text)}")
    return text


def _evaluate(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(value)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            # Floats, so that a tower of powers overflows at once instead of filling the memory.
            result = _OPERATORS[type(op)](_evaluate(left), _evaluate(right))
            return float(result)  # a complex root is no number here
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _evaluate(operand)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_evaluate(argument))
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math" | "torch" | "np"), attr=name), args=[argument]) if (
            name in _FUNCTIONS
        ):
            return _FUNCTIONS[name](_evaluate(argument))
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.Name(id=name):
            raise _NameFoundError(f"put the number in for {name}")
    raise ValueError


def _closes_at_end(text: str) -> bool:
    """Whether the bracket that a text begins with is the one that it ends with."""
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0:
            return position == len(text) - 1
    return False


def _split(text: str, separators: str) -> list[str]:
    """Split at separators outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter in separators and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
