"""Keep a process's memory from other processes of the same user."""

import sys


def make_undumpable() -> None:
    """
    Forbid other processes of this user to trace this one or to read its memory, environment and descriptors.

    For the trusted processes, which hold what a worker must not see. Children inherit it. On systems other than
    Linux there is no such switch, and nothing happens.

    Raises:
        OSError: If the kernel refuses.
    """
    if sys.platform == "linux":
        from grader.sandbox.jail.kernel import PR_SET_DUMPABLE, prctl

        prctl(PR_SET_DUMPABLE, 0)
