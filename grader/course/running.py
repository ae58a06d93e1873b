"""Run a file of a course in this process: an author's code, which is trusted, and never a learner's."""

import importlib.util
from pathlib import Path
from types import ModuleType


def run_file(path: Path, name: str) -> ModuleType:
    """Return the module of this name that the file makes; whatever the file raises is raised."""
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
