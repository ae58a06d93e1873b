"""A file is read within its limit, whatever was said about its size."""

import pytest

from grader.intake.listing import Found, read_found
from grader.intake.refusal import Refused


def found(content: bytes, size: int) -> Found:
    """Return a file that holds this and is said to have that size."""
    return Found("heads.py", size, lambda most: content[:most])


def test_a_file_up_to_the_limit_is_read_whole() -> None:
    """The limit itself is allowed."""
    assert b"12345" == read_found(found(b"12345", 5), 5)


@pytest.mark.parametrize("said", [0, 5, 6])
def test_a_larger_file_is_refused_and_never_cut_short(said: int) -> None:
    """Half a file would be graded as if it were the learner's: it grew after it was listed, or a zip lied."""
    with pytest.raises(Refused, match="holds more than the 5 bytes that are read; split it and hand it in again"):
        read_found(found(b"123456", said), 5, "split it")


def test_what_cannot_be_opened_is_refused_with_the_reason() -> None:
    """The system's own words, without the path of the grading machine."""

    def deny(most: int) -> bytes:
        raise PermissionError(13, "Permission denied", "/srv/class/heads.py")

    with pytest.raises(Refused, match=r"^it cannot be opened \(Permission denied\); make it readable"):
        read_found(Found("heads.py", 1, deny), 5)
