"""Bytes become text by rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.intake.refusal import Refused
from grader.intake.text import decode_json, decode_source

CODE = "x = 'é → 注意'  # ここで分ける\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (CODE.encode(), "utf-8"),
        (b"\xef\xbb\xbf" + CODE.encode(), "utf-8"),
        (b"\xff\xfe" + CODE.encode("utf-16-le"), "utf-16"),
        (b"\xfe\xff" + CODE.encode("utf-16-be"), "utf-16"),
        (b"\xff\xfe\0\0" + CODE.encode("utf-32-le"), "utf-32"),
        (CODE.encode("utf-16-le"), "utf-16-le"),
        (CODE.encode("utf-16-be"), "utf-16-be"),
    ],
)
def test_unicode_is_read_with_and_without_a_byte_order_mark(data: bytes, encoding: str) -> None:
    """Editors on Windows save UTF-16, and a BOM in front of UTF-8: both are the learner's code."""
    decoded = decode_source(data)

    assert (CODE, encoding, "") == decoded


@pytest.mark.parametrize("encoding", ["cp932", "euc-jp", "iso-8859-15", "koi8-r", "iso-2022-jp"])
def test_a_coding_line_is_obeyed(encoding: str) -> None:
    """PEP 263: the file says how to read it, in the first two lines, and no remark is needed."""
    sample = {"iso-8859-15": "größe", "koi8-r": "голова"}.get(encoding, "頭を分ける")
    text = f"#!/usr/bin/env python\n# vim: set fileencoding={encoding} :\nx = 1  # {sample}\n"

    decoded = decode_source(text.encode(encoding))

    assert (text, encoding, "") == decoded


def test_a_coding_line_after_code_is_no_coding_line() -> None:
    """PEP 263 lets the second line speak only if the first is blank or a comment."""
    data = b"x = 1\n# coding: koi8-r\ns = '\xc3\xa9'\n"

    assert "s = 'é'" in decode_source(data).text


@pytest.mark.parametrize("name", ["rot13", "utf-7", "unicode_escape", "punycode", "idna", "cp037", "no-such", "utf-16"])
def test_a_coding_line_that_no_python_file_can_have_is_not_obeyed(name: str) -> None:
    """Codecs that turn ASCII into something else would make other code of what a person reads."""
    data = f"# coding: {name}\nx = '+AG8-\\u0041'\n".encode()

    decoded = decode_source(data)

    assert data.decode() == decoded.text
    assert f"its coding line says {name}" in decoded.remark


@pytest.mark.parametrize("comment", ["頭を分ける", "ここ", "確認、注意", "テンソル・形", "ﾃﾝｿﾙの形を変える"])
def test_japanese_code_page_is_recognised_and_said(comment: str) -> None:
    """Editors on Japanese Windows save CP932 without saying so."""
    text = f"def split_heads(x):  # {comment}\n    return x\n"

    decoded = decode_source(text.encode("cp932"))

    assert (text, "cp932") == decoded[:2]
    assert "was read as CP932" in decoded.remark
    assert "save the file as UTF-8" in decoded.remark


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("# créée à l’été: größer, naïve, El Niño\n", "cp1252"),
        ("# it’s a “test” – really…\n", "cp1252"),
        ("# он не видел голову, ее еще нет\n", "cp1251"),
        ("# не одна\n", "cp1251"),
        ("# не внимание\n", "cp1251"),
        ("# 多头注意力机制\n", "gbk"),
        ("# été\n", "latin-1"),
    ],
)
def test_other_code_pages_are_not_taken_for_japanese(text: str, encoding: str) -> None:
    """Western and Cyrillic letters often decode as CP932, into kanji that nobody wrote."""
    decoded = decode_source(text.encode(encoding))

    assert "latin-1" == decoded.encoding
    assert "was read as Latin-1" in decoded.remark


def test_latin_1_is_the_last_resort_and_keeps_the_code() -> None:
    """A comment in an unknown encoding must not cost the points of the code beside it."""
    decoded = decode_source("# größe\nx = 1\n".encode("latin-1"))

    assert "# größe\nx = 1\n" == decoded.text


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_line_ends_become_line_feeds(newline: str) -> None:
    """Line numbers must be those that Python and the learner's editor count."""
    assert "a = 1\n\tb = 2\n" == decode_source(f"a = 1{newline}\tb = 2{newline}".encode()).text


def test_empty_files_are_text() -> None:
    """An empty ``__init__.py`` is an ordinary file."""
    assert "" == decode_source(b"").text


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"x = 1\ny\0 = 2\n", 2), (b"x = 1\n\0\0\0\0", 2), (b"\0" * 64, 1), (b"x\0abcdefghij", 1), (b"x\0\0\0", 1)],
)
def test_nul_bytes_are_refused_with_their_line(data: bytes, line: int) -> None:
    """Python cannot run them, and they show a file that was half written; few of them make no UTF-16."""
    with pytest.raises(Refused, match=f"line {line} has one"):
        decode_source(data)


def test_a_false_byte_order_mark_is_refused() -> None:
    """Reading on in another encoding would grade something that nobody wrote."""
    with pytest.raises(Refused, match="begins with the mark of UTF-16 but is not valid UTF-16"):
        decode_source(b"\xff\xfex")


@given(st.binary(max_size=300))
def test_any_bytes_give_text_or_a_refusal(data: bytes) -> None:
    """Whatever is in a file, the answer is text without NUL, CR or lone surrogates, or one line that says why not."""
    for decode in (decode_source, decode_json):
        try:
            answer = decode(data).text
        except Refused as refused:
            answer = str(refused)

        assert not {"\0", "\r"} & set(answer)
        answer.encode()


@given(st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"])))
def test_utf_8_is_never_taken_for_anything_else(text: str) -> None:
    """What is valid UTF-8 is read so, without a word, unless the file says otherwise itself."""
    data = f"x = 1\n{text}".encode()

    assert (f"x = 1\n{text}", "utf-8", "") == decode_source(data)
