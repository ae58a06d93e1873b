"""Say where a Python interpreter keeps its library, its packages and those that a learner uses."""

import importlib.util
import json
import os
import site
import sys
import sysconfig
from collections.abc import Iterator

_LEARNERS_USE = ("torch", "numpy", "matplotlib", "mpl_toolkits")


def describe_interpreter() -> dict[str, list[str]]:
    """
    Describe the interpreter that runs this.

    Returns:
        ``libraries``: folders of the standard library, of shared libraries and of time zones, which may not all exist;
        ``sites``: folders of installed packages; ``packages``: the folders of what learners use, wherever they are.
    """
    prefixes = dict.fromkeys((sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix))
    parts = ("lib", "lib64", "pyvenv.cfg", os.path.join("share", "zoneinfo"))
    paths = sysconfig.get_paths()
    sites = [paths["purelib"], paths["platlib"], *site.getsitepackages()]
    packages = list(_folders_of_packages())
    users_own = site.getusersitepackages()
    if any(folder.startswith(users_own + os.sep) for folder in packages):
        sites.append(users_own)  # otherwise nobody needs it, and it lies in a home that may be closed to others
    return {
        "libraries": [
            *(os.path.join(prefix, part) for prefix in prefixes for part in parts),
            *(paths["stdlib"], paths["platstdlib"]),
        ],
        "sites": list(dict.fromkeys(sites)),
        "packages": packages,
    }


def _folders_of_packages() -> Iterator[str]:
    for name in _LEARNERS_USE:
        spec = importlib.util.find_spec(name)  # finds the package without running it
        if spec is not None:
            yield from spec.submodule_search_locations or ()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(describe_interpreter()))
