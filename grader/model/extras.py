"""Say how to install what only some commands need."""

import re
import shlex
import sys
from importlib.metadata import PackageNotFoundError, requires


def install_command(extra: str) -> str:
    """Return what to type so that this very Python gets the libraries of an extra of the kit."""
    try:
        declared = requires("attention-dojo") or []
    except PackageNotFoundError:  # run from a clone that was never installed
        declared = []
    marker = re.compile(rf"""\bextra *== *["']{re.escape(extra)}["']""")
    wanted = [requirement.partition(";")[0].strip() for requirement in declared if marker.search(requirement)]
    return shlex.join([sys.executable, "-m", "pip", "install", *(wanted or [f".[{extra}]"])])
