"""Write a report as JSON that reads back as the same report."""

import json
import math
import re

from pydantic_core import PydanticSerializationError

from grader.model.report import ScoreReport

# Beyond printable ASCII, and the one control character that JSON allows unescaped in ASCII.
_TO_ESCAPE = re.compile(r"[^ -~\n]")


def render_json(report: ScoreReport) -> str:
    """
    Return the report as indented JSON in ASCII, which no terminal, pipe or code page can spoil.

    It holds all that the model holds, also what other formats cut short, and ``ScoreReport.model_validate_json``
    reads it back. Numbers that JSON does not know are the strings ``"NaN"``, ``"Infinity"`` and ``"-Infinity"``,
    and half a surrogate pair, which is no character, is the replacement character.
    """
    try:
        text = report.model_dump_json(indent=2)
    except (PydanticSerializationError, UnicodeEncodeError):  # half a surrogate pair
        text = json.dumps(_jsonable(report.model_dump()), indent=2, allow_nan=False, ensure_ascii=False)
    return _TO_ESCAPE.sub(_escape, text) + "\n"


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _jsonable(value: object) -> object:
    if isinstance(value, dict):
        return {_jsonable(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, str):
        return _with_whole_characters(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _with_whole_characters(text: str) -> str:
    # Through UTF-16, so that two halves that stand side by side become the character that they are.
    return str(text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
