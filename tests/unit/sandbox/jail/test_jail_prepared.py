"""A jail of which the parent has made the parts is the same jail."""

import errno
import os
from dataclasses import replace

import pytest
from jailer import Jailer

from grader.sandbox.jail import JailSettings, PreparedJail, preparing

LOOK = """
def works(function, argument):
    try:
        function(argument)
    except OSError:
        return False
    return True

result = {
    "descriptors": [number for number in range(64) if works(os.fstat, number)],
    "own": works(open, f"{arena}/readable/own.txt"),
    "secret": works(open, f"{arena}/hidden/secret.txt"),
    "program": works(os.system, "true") and os.system("true") == 0,
}
"""


@pytest.mark.parametrize("off", [frozenset[str](), frozenset({"landlock"}), frozenset({"seccomp"})])
def test_it_holds_like_one_that_is_made_in_the_worker(off: frozenset[str], jailer: Jailer) -> None:
    """And nothing of what it was made from stays open in the worker."""
    settings = jailer.settings(off=off)
    expected = jailer.run(LOOK, settings)

    answer = jailer.run(LOOK, settings, prepare=True)

    assert expected.report == answer.report
    assert expected.value == answer.value
    assert answer.value["own"]
    assert answer.value["secret"] is ("landlock" in off)


def test_other_limits_need_no_new_one() -> None:
    """They are the worker's own; files and layers are not."""
    settings = JailSettings(readable=("/usr/lib",), off=frozenset({"landlock"}))

    prepared = PreparedJail(settings)

    assert prepared.fits(replace(settings, memory_mb=7, cpu_s=1, hidden=("/root",)))
    assert not prepared.fits(replace(settings, readable=("/usr",)))
    assert not prepared.fits(replace(settings, landlock_abi=1))
    assert not prepared.fits(replace(settings, off=frozenset()))


def test_what_cannot_be_made_is_said_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a worker can report it as a layer that is missing, with the kernel's own words."""

    def refuse(at_most: int | None) -> int:
        raise OSError(errno.ENOSYS, "no Landlock here")

    monkeypatch.setattr(preparing, "landlock_abi", refuse)
    prepared = PreparedJail(JailSettings(readable=("/usr/lib",)))

    with pytest.raises(OSError, match="no Landlock here"):
        prepared.take_landlock()


def test_letting_go_closes_its_descriptor(abi: int) -> None:
    """A zygote may need another one many times."""
    before = len(os.listdir("/proc/self/fd"))
    prepared = PreparedJail(JailSettings(readable=("/usr/lib",)))
    assert len(os.listdir("/proc/self/fd")) == before + 1

    prepared.close()

    assert len(os.listdir("/proc/self/fd")) == before
