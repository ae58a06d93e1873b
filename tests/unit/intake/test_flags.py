"""Flags point a person at files that could change how graders work."""

import pytest
from handed_in import HandIn


@pytest.mark.parametrize(
    ("name", "content", "flag"),
    [
        ("torch.py", "", "shadows_module"),
        ("numpy/__init__.py", "", "shadows_module"),
        ("random.py", "", "shadows_module"),
        ("sub/math.py", "", "shadows_module"),
        ("grader/__init__.py", "", "shadows_module"),
        ("conftest.py", "", "plants_configuration"),
        ("sub/conftest.py", "", "plants_configuration"),
        ("sitecustomize.py", "", "plants_configuration"),
        ("usercustomize.py", "", "plants_configuration"),
        ("pytest.ini", "", "plants_configuration"),
        (".pytest.ini", "", "plants_configuration"),
        ("setup.cfg", "", "plants_configuration"),
        ("tox.ini", "", "plants_configuration"),
        ("evil.pth", "import os", "plants_configuration"),
        ("x.dist-info/entry_points.txt", "[pytest11]", "plants_configuration"),
        ("pyproject.toml", "[tool.pytest.ini_options]\n", "plants_configuration"),
        ("pyproject.toml", '[ tool . "pytest".ini_options]\n', "plants_configuration"),
    ],
)
def test_files_that_shadow_or_configure_are_flagged(hand_in: HandIn, name: str, content: str, flag: str) -> None:
    """One flag, which names the file; the submission is read all the same."""
    submission = hand_in({name: content, "heads.py": "x = 1\n"})

    assert [flag] == [found.id for found in submission.flags]
    assert submission.flags[0].message.startswith(name.removesuffix("/__init__.py"))
    assert "heads.py" in [file.path for file in submission.files]


@pytest.mark.parametrize(
    "files",
    [
        ("heads.py", "masking.py", "multihead.py", "README.md"),
        ("attention/__init__.py", "attention/heads.py", "attention/types.py"),
        ("torch/heads.py", "torch/masking.py"),
        ("code/heads.py", "main.py"),
        ("test.py", "tests/test_heads.py", "my_torch.py"),
        ("heads.py", "pyproject.toml", "requirements.txt"),
        ("heads.py", "venv/pyvenv.cfg", "venv/lib/a.pth"),
        ("torch.ipynb",),
    ],
)
def test_ordinary_work_is_not_flagged(hand_in: HandIn, files: tuple[str, ...]) -> None:
    """A flag costs an instructor's time, so that folders, packages and ordinary projects must not raise one."""
    submission = hand_in({name: "[project]\nname = 'x'\n" if name.endswith(".toml") else "" for name in files})

    assert () == submission.flags
