"""The jail that a worker puts itself into before any learner's code runs; standard library only."""

from grader.sandbox.jail.descendants import adopt_orphans, kill_everything, kill_orphans
from grader.sandbox.jail.entering import LAYERS, enter_jail
from grader.sandbox.jail.limits import limit_grader_memory
from grader.sandbox.jail.preparing import PreparedJail
from grader.sandbox.jail.readable import kit_paths, readable_paths
from grader.sandbox.jail.settings import JailReport, JailSettings, Level
from grader.sandbox.jail.undumpable import make_undumpable

__all__ = [
    "LAYERS",
    "JailReport",
    "JailSettings",
    "Level",
    "PreparedJail",
    "adopt_orphans",
    "enter_jail",
    "kill_everything",
    "kill_orphans",
    "kit_paths",
    "limit_grader_memory",
    "make_undumpable",
    "readable_paths",
]
