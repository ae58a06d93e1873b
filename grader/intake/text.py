"""Turn the bytes of a source file into text, by rules that give the same answer each time."""

import codecs
import re
from typing import NamedTuple

from grader.intake.refusal import Refused


class Decoded(NamedTuple):
    """Text with line feeds only, and how it was read."""

    text: str
    encoding: str
    remark: str = ""
    """One line for the learner when the encoding had to be guessed."""


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# PEP 263: in the first two lines, the second only if the first is blank or a comment.
_CODING_LINE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#.*)?$")
# Without the shifts of ISO 2022, which is plain ASCII until one of them; with what IDNA reads as other letters.
_ASCII = bytes(byte for byte in range(128) if byte not in (0x0E, 0x0F, 0x1B)) + b".xn--nxasmq6b"

_ADVICE = "save the file as UTF-8 to be sure"


def decode_source(data: bytes) -> Decoded:
    """
    Decode a Python file: byte order mark, coding line, UTF-8, UTF-16, CP932, and Latin-1 as the last resort.

    Args:
        data: The whole file.

    Raises:
        Refused: If no text can be in there: NUL bytes, or a byte order mark that the rest does not bear out.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_marked(data, encoding)
    if b"\0" in data:
        return _decode_unmarked_utf16(data)

    declared = declared_encoding(data)
    remark = ""
    if declared:
        text = _decode_as(data, declared) if _extends_ascii(declared) else None
        if text is not None:
            return Decoded(one_newline(text), _plain_name(declared))
        remark = f"its coding line says {declared}, which does not fit; "
    guessed = _guess(data)
    if remark or guessed.remark:
        guessed = guessed._replace(remark=f"{remark}{guessed.remark or 'it was read as UTF-8; correct that line'}")
    return guessed


def decode_json(data: bytes) -> Decoded:
    """Decode a notebook's file: as a source file, but without coding lines."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_marked(data, encoding)
    return _decode_unmarked_utf16(data) if b"\0" in data else _guess(data)


def declared_encoding(data: bytes) -> str:
    """Return what the coding line of a Python file (PEP 263) says, or an empty string."""
    for line in re.split(rb"\r\n|\r|\n", data[:4096], maxsplit=2)[:2]:
        found = _CODING_LINE.match(line)
        if found:
            return found[1].decode("ascii")
        if not _BLANK_OR_COMMENT.match(line):
            break
    return ""


def one_newline(text: str) -> str:
    """Return text whose lines end as Python counts them: CRLF and lone CR become line feeds."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def looks_japanese(text: str) -> bool:
    """
    Whether text that was decoded as CP932 was meant so.

    Western and Cyrillic letters often decode as well, into rare kanji one by one. Real Japanese comes in runs,
    and its kana, punctuation and common kanji begin with a byte of 0x81 to 0x9F, which are control characters
    in Latin-1 and rare in Windows' western and Cyrillic code pages.
    """
    foreign = [letter for letter in text if not letter.isascii()]
    common = [letter for letter in foreign if 0x81 <= letter.encode("cp932", "replace")[0] <= 0x9F]
    return 2 * len(common) > len(foreign) and re.search(r"[々〆぀-ヿ㐀-鿿、。・ー「」（）]{2}", text) is not None


def _decode_marked(data: bytes, encoding: str) -> Decoded:
    text = _decode_as(data, encoding)
    if text is None:
        name = _plain_name(encoding).upper()
        raise Refused(f"it begins with the mark of {name} but is not valid {name}; save it again as UTF-8")
    _refuse_nul(text)
    return Decoded(one_newline(text), _plain_name(encoding))


def _decode_unmarked_utf16(data: bytes) -> Decoded:
    for encoding in ("utf-16-le", "utf-16-be"):
        text = _decode_as(data, encoding)
        # Code is mostly ASCII; the other byte order would turn each such letter into one far away.
        if text and "\0" not in text and 2 * sum(map(str.isascii, text)) > len(text):
            return Decoded(one_newline(text), encoding)
    _refuse_nul(data.decode("latin-1"))
    raise AssertionError("called for data with a NUL byte")


def _refuse_nul(text: str) -> None:
    if "\0" in text:
        line = one_newline(text[: text.index("\0")]).count("\n") + 1
        raise Refused(
            f"Python source has no NUL bytes, but line {line} has one, as binary or half-written files do; "
            "save it again as UTF-8 text"
        )


def _guess(data: bytes) -> Decoded:
    text = _decode_as(data, "utf-8")
    if text is not None:
        return Decoded(one_newline(text), "utf-8")
    text = _decode_as(data, "cp932")
    if text is not None and looks_japanese(text):
        return Decoded(one_newline(text), "cp932", f"it is not UTF-8 and was read as CP932 (Japanese); {_ADVICE}")
    text = data.decode("latin-1")
    remark = f"it is not UTF-8 and was read as Latin-1, so letters outside ASCII may be wrong; {_ADVICE}"
    return Decoded(one_newline(text), "latin-1", remark)


def _decode_as(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _extends_ascii(encoding: str) -> bool:
    """Whether the encoding is one for text and leaves ASCII as it is, as Python demands of source files."""
    try:
        return _ASCII.decode(encoding) == _ASCII.decode("ascii")
    except Exception:  # noqa: BLE001 - the name is the learner's, and codecs raise what they like
        return False


def _plain_name(encoding: str) -> str:
    return encoding.lower().replace("_", "-").removesuffix("-sig")
