"""Settings survive their way into another process."""

import pytest

from grader.sandbox.jail import JailSettings


def test_settings_come_back_as_they_were() -> None:
    """Tuples and sets are lists in JSON, and must become themselves again."""
    settings = JailSettings(
        readable=("/usr/lib", "/a path/with ünusual ' signs"),
        hidden=("/course",),
        working_directory="/tmp/x",
        cpu_s=3,
        memory_mb=5,
        file_size_mb=7,
        open_files=11,
        threads=13,
        landlock_abi=3,
        off=frozenset({"landlock", "seccomp"}),
    )

    text = settings.to_json()

    assert settings == JailSettings.from_json(text)
    assert "\n" not in text


def test_unknown_settings_are_refused() -> None:
    """Two versions of the kit must not misunderstand each other in silence."""
    text = JailSettings(readable=()).to_json().replace("cpu_s", "cpu_h")

    with pytest.raises(TypeError, match="cpu_h"):
        JailSettings.from_json(text)
