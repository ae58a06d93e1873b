"""Flag files that could change how a grader works; grading itself is not touched by them."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from grader.intake.listing import Found
from grader.intake.refusal import Refused
from grader.model.submission import Flag

SHADOWS_MODULE = "shadows_module"
PLANTS_CONFIGURATION = "plants_configuration"

_INSTALLED = frozenset(
    {
        "IPython",
        "_pytest",
        "grader",
        "hypothesis",
        "matplotlib",
        "nbformat",
        "numpy",
        "pluggy",
        "pydantic",
        "pytest",
        "scipy",
        "torch",
        "yaml",
    }
)
_CONFIGURING_MODULES = frozenset({"conftest", "sitecustomize", "usercustomize"})
# Names that people give to files of their own, and that nobody imports from the standard library.
_HARMLESS = frozenset({"__future__", "__main__", "antigravity", "idlelib", "test", "this", "turtledemo"})
_PYPROJECT_BYTES = 64 * 1024


def find_flags(paths: Iterable[str], settings: Sequence[Found], exercise_ids: Sequence[str]) -> tuple[Flag, ...]:
    """
    Return what a person should look at, by the names of files alone but for ``pyproject.toml``.

    Args:
        paths: The paths of the source files.
        settings: Files that could configure tools.
        exercise_ids: Their files are expected, whatever the ids are.
    """
    sources = sorted(paths)
    packages = {str(PurePosixPath(path).parent) for path in sources if PurePosixPath(path).name == "__init__.py"}
    flags = [flag for path in sources if (flag := _flag_source(PurePosixPath(path), packages, exercise_ids))]
    for found in sorted(settings, key=lambda found: found.path):
        if PurePosixPath(found.path).name.lower() == "pyproject.toml" and not _configures_pytest(found):
            continue
        flags.append(Flag(id=PLANTS_CONFIGURATION, message=f"{found.path} would configure tools; it was not used."))
    return tuple(flags)


def _flag_source(path: PurePosixPath, packages: set[str], exercise_ids: Sequence[str]) -> Flag | None:
    if path.suffix.lower() != ".py":
        return None
    if path.stem in _CONFIGURING_MODULES:
        return Flag(id=PLANTS_CONFIGURATION, message=f"{path} would configure Python or pytest; it was not used so.")
    # A module inside a package is imported by the package's name and shadows nothing; a package can.
    module = path.parent if path.name == "__init__.py" else path
    name = module.stem
    if str(module.parent) in packages or name in exercise_ids or name in _HARMLESS:
        return None
    if name in _INSTALLED:
        return Flag(id=SHADOWS_MODULE, message=f"{path} has the name of the library {name}.")
    if name in sys.stdlib_module_names:
        return Flag(id=SHADOWS_MODULE, message=f"{path} has the name of the standard module {name}.")
    return None


def _configures_pytest(pyproject: Found) -> bool:
    try:
        head = pyproject.read(_PYPROJECT_BYTES)
    except (Refused, OSError):
        return True  # what cannot be read is for a person to look at
    return b"tool.pytest" in b"".join(head.split()).replace(b'"', b"").replace(b"'", b"")
