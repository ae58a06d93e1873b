"""Run one worker as a process of its own: ``python -m grader.sandbox.spawned DESCRIPTOR SETTINGS``."""

import os
import sys

import torch

from grader.sandbox import pretend_device
from grader.sandbox.jail import JailSettings
from grader.sandbox.worker import CHANNEL, serve


def main() -> None:
    """Move the channel to its place, warm up what the jail would forbid, and serve."""
    channel, settings = int(sys.argv[1]), sys.argv[2]
    if channel != CHANNEL:
        os.dup2(channel, CHANNEL)
        os.close(channel)
    os.set_inheritable(CHANNEL, False)
    torch.set_num_threads(1)
    x = torch.randn(2, 8, 8, requires_grad=True)
    torch.autograd.grad([(x @ x).softmax(-1)], [x], [torch.ones_like(x)])
    pretend_device.prepare()
    os.environ.clear()
    serve(JailSettings.from_json(settings), os.getppid())


if __name__ == "__main__":
    main()
