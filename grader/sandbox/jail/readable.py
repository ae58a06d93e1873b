"""List what a worker must be able to read: Python, torch and the system's libraries, around everything of the kit."""

import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from grader.sandbox.jail.interpreter import describe_interpreter

_SYSTEM: Final = (
    # Shared libraries, and the files that say where they are.
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    # Time, text and fonts.
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/usr/share/locale",
    "/usr/share/i18n",
    "/usr/share/fonts",
    "/usr/share/matplotlib",
    # Sources of nothing, zeros and chance.
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    # What the processor can do. Without it torch chooses other kernels, whose results differ in the last digits.
    "/proc/cpuinfo",
    "/sys/devices/system/cpu",
)
_HANDED_IN: Final = ("/usr/local/share/nbgrader", "/usr/share/nbgrader", "/srv/nbgrader")
"""Where courses collect what people hand in; never readable, whatever contains it."""


def readable_paths(python: str = sys.executable, exclude: Sequence[str] = ()) -> tuple[str, ...]:
    """
    Return what workers of an interpreter may read, as few paths as possible. For the trusted side.

    Landlock can allow and not forbid. So a folder that contains something excluded is replaced by what is in it, all
    the way down to the excluded thing. The kit's own folders (`kit_paths`) are always excluded; the environment that
    Python lives in may lie inside them. Links are not followed out of a folder that had to be opened up this way.

    Args:
        python: The workers' interpreter.
        exclude: More that must stay out of reach, above all the folder of the course and of the submissions.

    Returns:
        Existing, resolved paths, sorted.

    Raises:
        subprocess.CalledProcessError: If another interpreter than this cannot be asked.
    """
    its = _describe(python)
    excluded = {os.path.realpath(path) for path in (*kit_paths(its["sites"]), *_HANDED_IN, *exclude)}
    runtime = {os.path.realpath(path) for path in (*its["libraries"], *its["sites"], *_SYSTEM)}
    packages = {os.path.realpath(path) for path in its["packages"]}
    # A package outside the runtime is one that somebody develops. One inside an excluded folder is not for workers.
    wanted = runtime | {path for path in packages if excluded.isdisjoint((path, *_parents(path)))}
    opened = {parent for path in excluded if os.path.lexists(path) for parent in _parents(path)}
    found = {path for folder in wanted if os.path.exists(folder) for path in _around(folder, excluded, opened)}
    return tuple(sorted(path for path in found if found.isdisjoint(_parents(path))))


def kit_paths(sites: Sequence[str] | None = None) -> tuple[str, ...]:
    """
    Return the kit's own folders, with its suites, solutions and rubrics; those that exist.

    Installed, that is its package. In a checkout it is the whole checkout.

    Args:
        sites: Folders of installed packages, where other copies of the kit may be; this interpreter's if left out.
    """
    sites = describe_interpreter()["sites"] if sites is None else sites
    package = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
    home, name = os.path.split(package)
    copies = [os.path.join(folder, name) for folder in sites]
    installed = home in map(os.path.realpath, sites)
    return tuple(filter(os.path.exists, dict.fromkeys([package if installed else home, package, *copies])))


def _describe(python: str) -> dict[str, list[str]]:
    if python == sys.executable:
        return describe_interpreter()
    from grader.sandbox.jail import interpreter

    described: dict[str, list[str]] = json.loads(subprocess.check_output([python, "-I", interpreter.__file__]))
    return described


def _around(path: str, excluded: Collection[str], opened: Collection[str]) -> Iterator[str]:
    """Yield a path, or what is in it around the excluded ones; ``opened`` are all folders that one of them lies in."""
    if path in excluded:
        return
    if path not in opened:
        yield path
        return
    with os.scandir(path) as entries:
        children = [entry.path for entry in entries if not entry.is_symlink()]
    for child in children:
        yield from _around(child, excluded, opened)


def _parents(path: str) -> Iterator[str]:
    """Yield all folders that a resolved path lies in."""
    while path != os.path.dirname(path):
        path = os.path.dirname(path)
        yield path
