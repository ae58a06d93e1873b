"""Make once what is the same in the jails of many workers."""

import contextlib
import fcntl
import os
import sys
from typing import Final

from grader.sandbox.jail.kernel import architecture
from grader.sandbox.jail.landlock import guards_writing, landlock_abi, make_ruleset, restrict_files
from grader.sandbox.jail.seccomp import pack_rest
from grader.sandbox.jail.settings import JailSettings
from grader.sandbox.jail.user import open_to_everyone

_OUT_OF_THE_WAY: Final = 16
"""The ruleset's descriptor is at least this, since a worker's streams and channel have numbers of their own."""


class PreparedJail:
    """
    What workers' jails have in common, made by the process that forks them: most of what a jail takes.

    Never raises; what cannot be made here is reported by the worker as a layer that is missing.

    Args:
        settings: Those of the first worker.
    """

    def __init__(self, settings: JailSettings) -> None:
        self._kind = _kind(settings)
        self._problem = OSError("not prepared")
        self._abi = 0
        self.ruleset: int | None = None
        """A descriptor, to be kept open in a worker until it has entered its jail."""
        self.open_to_everyone = False
        """Whether a user that owns nothing can read what a worker needs."""
        if sys.platform != "linux":
            return
        if "user" not in settings.off and os.geteuid() == 0:
            with contextlib.suppress(OSError):
                self.open_to_everyone = open_to_everyone(settings.readable)
        if "landlock" not in settings.off:
            try:
                abi = landlock_abi(settings.landlock_abi)
                ruleset = make_ruleset(settings.readable, abi)
                self.ruleset = fcntl.fcntl(ruleset, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY)
                os.close(ruleset)
                self._abi = abi
            except OSError as error:
                self._problem = error
        with contextlib.suppress(OSError):
            pack_rest(architecture(), refuse_writing=not guards_writing(self._abi))

    def fits(self, settings: JailSettings) -> bool:
        """Say whether a worker with these settings can have it."""
        return self._kind == _kind(settings)

    def close(self) -> None:
        """Let go of it."""
        if self.ruleset is not None:
            os.close(self.ruleset)
            self.ruleset = None

    def take_landlock(self) -> int:
        """
        Put Landlock's rules on this thread, for good, and let go of them.

        Returns:
            The version of Landlock.

        Raises:
            OSError: If the kernel refuses.
        """
        if self.ruleset is None:
            raise self._problem
        try:
            restrict_files(self.ruleset, self._abi)
        finally:
            self.close()
        return self._abi


def _kind(settings: JailSettings) -> tuple[object, ...]:
    return settings.readable, settings.landlock_abi, settings.off
