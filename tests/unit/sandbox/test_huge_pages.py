"""Memory in huge pages is the same memory."""

import hashlib
import sys

import pytest

from grader.sandbox.huge_pages import collapse_memory, whole_pages

PAGE = 0x200000
MAPS = """\
555500000000-555500a00000 r-xp 00000000 08:01 123                        /usr/bin/python3.11
555501100000-555501900000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000400000 rw-p 00000000 00:00 0
7f0000500000-7f0000600000 rw-p 00000000 00:00 0
7f0000800000-7f0000c00000 r--p 00000000 00:00 0
7f0001000000-7f0001400000 rw-p 00200000 08:01 456                        /usr/lib/libtorch cpu.so
7f0002000000-7f0002400000 rw-s 00000000 00:00 0
7ffc00000000-7ffc00400000 rw-p 00000000 00:00 0                          [stack]
"""


def test_only_a_process_s_own_memory_is_moved() -> None:
    """Whole pages of what it has written: neither files nor what others share, and no page that reaches beyond."""
    found = list(whole_pages(MAPS, PAGE))

    assert [0x555501200000, 0x555501400000, 0x555501600000, 0x7F0000000000, 0x7F0000200000] == found


def test_what_memory_holds_stays_as_it_is() -> None:
    """And where the kernel can, there are pages to be made of 64 MiB."""
    data = bytearray(b"attention" * (64 << 20 >> 3))
    before = hashlib.sha256(data).digest()

    made = list(collapse_memory())

    assert before == hashlib.sha256(data).digest()
    if not made:
        pytest.skip(f"this kernel ({sys.platform}) makes no huge pages when asked to")
    assert list(range(1, len(made) + 1)) == made
    assert len(made) >= 16
