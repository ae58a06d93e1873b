"""How trusted and untrusted Python processes are started: away from the user's environment and current folder."""

import os
import sys


def python_command() -> list[str]:
    """
    Return the command that starts this Python isolated from the user's environment and the current folder.

    A kit installed for one user only lives in a folder that ``-I`` leaves out, so there the two other parts of ``-I``
    are asked for one by one.
    """
    import site

    user_site = site.getusersitepackages() if site.ENABLE_USER_SITE else ""
    if user_site and os.path.realpath(__file__).startswith(os.path.realpath(user_site) + os.sep):
        return [sys.executable, "-E", "-P"]
    return [sys.executable, "-I"]


def trusted_environment() -> dict[str, str]:
    """
    Return the environment of the process that grades, which sees no accelerator.

    It needs none, and with one torch would start threads at the first gradient that no fork survives
    (`autograd_forks`). Workers that are started by themselves see what there is.
    """
    return clean_environment() | dict.fromkeys(("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"), "")


def clean_environment() -> dict[str, str]:
    """Return the environment of a new process: one thread, no display, and of the user's own what it needs to start."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    kept = {name: os.environ[name] for name in ("HOME", "LD_LIBRARY_PATH", "OPENBLAS_CORETYPE") if name in os.environ}
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MPLBACKEND": "Agg", **one_thread, **kept}
