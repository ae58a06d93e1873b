"""Import nbgrader, or say what to install."""

import importlib
import os
import sysconfig
import warnings
from typing import Any

from grader.model.errors import GraderError
from grader.model.extras import install_command


class NbgraderError(GraderError):
    """nbgrader, or its course, is not there or not as it should be."""


def import_nbgrader(module: str) -> Any:
    """
    Return one of nbgrader's modules.

    Raises:
        NbgraderError: If nbgrader is not installed.
    """
    _let_commands_be_found()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its own dependencies
            return importlib.import_module(module)
    except ImportError as error:
        raise NbgraderError(
            f"this needs nbgrader, which is not installed ({error}). Type: {install_command('nbgrader')}"
        ) from None


def _let_commands_be_found() -> None:
    """Put this Python's folder of commands on the path: nbgrader starts `alembic` by its name alone."""
    commands = sysconfig.get_path("scripts")
    known = os.environ.get("PATH", os.defpath)
    if commands not in known.split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([commands, known])
