"""Make text that a learner controls safe to show, whatever it holds."""

import re
from typing import NamedTuple

# Complete escape sequences vanish: a print in colour should read as the words that it shows. CSI first, then OSC
# (titles, links). Each class leaves out the characters that can begin a sequence, so that the search stays linear.
_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9b-\x9d]*(?:\x07|\x1b\\|\x9c)"
)

# Within a line nothing but colours vanishes: a learner's text stands there between the grader's words, and must not be
# able to take any of them away.
_COLOUR = re.compile(r"(?:\x1b\[|\x9b)[0-9;]*m")

# What no page, terminal or XML file should get to see raw: control characters, marks that turn the direction of text,
# invisible characters, lone surrogates, noncharacters and tags. The joiners U+200C and U+200D stay, since Persian and
# emoji need them, and so do the variation selectors.
_UNSAFE = re.compile(
    "["
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f"
    "\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb"
    "\\ud800-\\udfff\\ufdd0-\\ufdef"
    + "".join(f"\\U{plane:04x}fffe\\U{plane:04x}ffff" for plane in range(0x11))
    + "\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e00ff"
    "]"
)

_LINE_END = re.compile(r"[\n\t]|\r\n?")

# How the signs of this kit's own sentences look on a terminal that cannot show them.
_SPELLED = {
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "–": "-",
    "—": "-",
    "−": "-",
    "…": "...",
    "·": "-",
    "•": "*",
    "×": "x",
    "→": "->",
    "←": "<-",
    "≈": "~",
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
    "√": "sqrt ",
    "∞": "inf",
    "ᵀ": "^T",
    "²": "^2",
    "│": "|",
    "\u00a0": " ",
    "\u202f": " ",
}


class Excerpt(NamedTuple):
    """The part of a long text that is shown."""

    text: str
    lines_left_out: int


def harmless(text: str) -> str:
    """
    Return the text with nothing in it but visible characters, newlines and tabs.

    Escape sequences of terminals are dropped, other unsafe characters become visible escapes such as ``\\x07``.
    A carriage return starts its line anew, as in a terminal, so that a progress bar shows its last state.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _ESCAPE_SEQUENCE.sub("", text.replace("\r\n", "\n"))
    if "\r" in text:
        text = "\n".join(_last_state(line) for line in text.split("\n"))
    return _UNSAFE.sub(lambda found: _escape(found[0]), text)


def harmless_line(text: str) -> str:
    """
    Return the text on one line: newlines and tabs become blanks, colours vanish, all else unsafe becomes an escape.

    Unlike in ``harmless``, nothing that a learner wrote can make the words before or after it disappear, so this is
    also right for a sentence of the grader's with learner's text in it.
    """
    if text.isprintable():
        return text.strip()
    text = _UNSAFE.sub(lambda found: _escape(found[0]), _COLOUR.sub("", _LINE_END.sub("\n", text)))
    return " ".join(part.strip() for part in text.split("\n") if part.strip())


def encodable(text: str, encoding: str) -> str:
    """Return the text in characters that ``encoding`` has: typographic signs are spelt in ASCII, the rest escaped."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_encodable_character(character, encoding) for character in text)
    return text


def excerpt(text: str, lines: int, columns: int) -> Excerpt:
    """
    Return the first and the last lines of a text, made harmless, each cut at a number of columns.

    Args:
        text: Any text.
        lines: How many lines to keep; of a longer text the last quarter of them comes from the end.
        columns: How many characters of a line to keep.
    """
    # Lines are chosen first, so that the cost does not grow with what nobody will see.
    every = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    left_out = max(0, len(every) - lines)
    tail = lines // 4 if left_out else 0
    kept = harmless("\n".join(every[: lines - tail])).split("\n")
    if left_out:
        rest = harmless("\n".join(every[len(every) - tail :])) if tail else ""
        kept.extend([f"… {left_out:,} lines left out …", *rest.split("\n")])
    return Excerpt("\n".join(shorten(line, columns) for line in kept), left_out)


def shorten(line: str, columns: int) -> str:
    """Return a line of at most so many characters; what is cut is marked by an ellipsis."""
    return line if len(line) <= columns else line[: columns - 1].rstrip() + "…"


def _last_state(line: str) -> str:
    return next((part for part in reversed(line.split("\r")) if part.strip()), "")


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _encodable_character(character: str, encoding: str) -> str:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        spelled = _SPELLED.get(character)
        return spelled if spelled is not None else character.encode("ascii", "backslashreplace").decode("ascii")
    return character
