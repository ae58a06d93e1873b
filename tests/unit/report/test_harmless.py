"""Learners' text is made harmless."""

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.report.harmless import encodable, excerpt, harmless, harmless_line, shorten

# Visible signs, joiners and layout of scripts that need them; nothing that hides, reorders or commands.
ALLOWED = set("\n\t\u200c\u200d") | {chr(code) for code in [*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2]}
ALLOWED |= {chr(code) for code in [0x110BD, 0x110CD, *range(0x13430, 0x13440)]}


def test_no_control_format_or_surrogate_character_survives():
    """Whatever character could hide, reorder or command is shown as an escape, in every plane of Unicode."""
    unsafe = [
        chr(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp") and chr(code) not in ALLOWED
    ]

    survivors = [f"{ord(character):x}" for character in unsafe if character in harmless(f"a{character}b")]

    assert survivors == []


@settings(deadline=None, max_examples=60)
@given(st.text())
def test_harmless_text_can_be_written_as_utf8_and_is_stable(text):
    """What was made harmless can be written anywhere, and is not changed a second time."""
    once = harmless(text)

    once.encode("utf-8")
    assert once == harmless(once)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("red", "\x1b[31mred\x1b[0m"),
        ("link", "\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\"),
        ("", "\x1b]0;a title\x07"),
        ("\\x1b[2J", "\x1b\x1b[0m[2J"),
        ("\\u202etxt.exe", "\u202etxt.exe"),
        ("100%", "10%\r50%\r100%"),
        ("a\nb", "a\r\nb\r"),
        ("👩‍🚀 ひらがな √d", "👩‍🚀 ひらがな √d"),
        ("\\ud800", "\ud800"),
    ],
)
def test_what_text_becomes(shown, text):
    """Colours vanish, escapes become visible, progress bars show their last state, languages stay."""
    assert shown == harmless(text)


def test_one_line_has_no_breaks():
    """Newlines and tabs become single blanks, and other blanks stay."""
    assert harmless_line("\n a\n\n\tb  c\t d\n") == "a b  c d"


@pytest.mark.parametrize(
    "text",
    ["\rAll right", "\x1b]0;", "\x9d", "\x1b[", "\x9b1", "\x1b[2K\x1b[1G", "\x08" * 40, "\u202e", "\x1b]8;;x\x1b\\"],
)
def test_learners_text_takes_no_word_of_the_graders_away(text):
    """A file named after a carriage return must not turn "Fix this" into "All right"."""
    line = harmless_line(f"Fix this in {text}nobody, line 3 ({text}\x07) now.")

    assert line.startswith("Fix this in ")
    assert "nobody, line 3 (" in line
    assert line.endswith(") now.")


@pytest.mark.parametrize("piece", ["\x1b]", "\x9d", "\x1b[1", "\x9b", "\r", " \n", " ", "`", "\u202e"])
def test_long_hostile_text_takes_linear_time(piece):
    """A print as long as the output cap must not hang the report: 64 KiB in well under a second."""
    text = piece * (65536 // len(piece)) + "x\ny"
    started = time.process_time()

    harmless_line(text)

    assert time.process_time() - started < 1.0


def test_signs_are_spelt_where_they_cannot_be_shown():
    """Known signs become ASCII, others escapes, and what the encoding has stays."""
    assert encodable("√d “q” 佐", "ascii") == 'sqrt d "q" \\u4f50'
    assert encodable("“q” √é", "cp1252") == "“q” sqrt é"


def test_an_excerpt_keeps_both_ends_and_says_what_is_missing():
    """Of a long text the first three quarters and the last quarter of the lines are kept."""
    text = "".join(f"line {number}\n" for number in range(1000))

    shown = excerpt(text, lines=8, columns=80)

    assert shown.lines_left_out == 992
    assert [shown.text.split("\n")[place] for place in (0, 5, 6, 7, 8)] == [
        "line 0",
        "line 5",
        "… 992 lines left out …",
        "line 998",
        "line 999",
    ]


def test_a_short_text_is_shown_whole():
    """Nothing is said about lines left out when none are."""
    assert tuple(excerpt("a\n\nb\n", lines=3, columns=10)) == ("a\n\nb", 0)


def test_a_long_line_ends_in_an_ellipsis():
    """The cut is visible, and the limit counts the ellipsis."""
    assert shorten("abcdef", 4) == "abc…"
    assert shorten("abcd", 4) == "abcd"
