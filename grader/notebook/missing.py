"""Import nbgrader, or say what to install."""

import importlib
import warnings
from typing import Any

from grader.model.errors import GraderError


class NbgraderError(GraderError):
    """nbgrader, or its course, is not there or not as it should be."""


def import_nbgrader(module: str) -> Any:
    """
    Return one of nbgrader's modules.

    Raises:
        NbgraderError: If nbgrader is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its own dependencies
            return importlib.import_module(module)
    except ImportError as error:
        raise NbgraderError(
            f"this needs nbgrader, which is not installed ({error}). Type: pip install 'attention-dojo[nbgrader]'"
        ) from None
