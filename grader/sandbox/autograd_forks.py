"""
Whether gradients can be computed on both sides of a fork.

With the first gradient torch starts a thread for each kind of device that it counts besides the CPU, and refuses to
compute gradients in forks of a process that has such threads: "Unable to handle autograd's threading in combination
with fork-based multiprocessing". torch 2.13 counts none on a machine without an accelerator, 2.6 always counts one.
"""

import os
from collections.abc import Callable

import torch


def survive_forks() -> bool:
    """
    Say whether a process that has computed a gradient can fork another that can.

    It is tried out in forks of this process, which must not have computed a gradient itself, and stays as it is.
    """
    return _succeeds_in_a_fork(lambda: _computes_a_gradient() and _succeeds_in_a_fork(_computes_a_gradient))


def _computes_a_gradient() -> bool:
    x = torch.ones(1, requires_grad=True)
    (x * x).backward()  # type: ignore[no-untyped-call]
    return x.grad is not None


def _succeeds_in_a_fork(work: Callable[[], bool]) -> bool:
    pid = os.fork()
    if pid == 0:
        succeeds = False
        try:
            succeeds = work()
        except RuntimeError:
            pass  # torch's refusal; whoever asked goes the safe way
        finally:
            os._exit(0 if succeeds else 1)
    return os.waitpid(pid, 0)[1] == 0
