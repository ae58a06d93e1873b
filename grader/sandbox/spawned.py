"""Run one worker as a process of its own, which is told its settings on standard input."""

import gc
import json
import os
import sys


def main() -> None:
    """Warm up what the jail would forbid, wait to be told the settings, and serve."""
    gc.disable()  # nothing of what is imported is garbage; looking for some would take a tenth of the time
    import torch

    from grader.sandbox import pretend_device
    from grader.sandbox.executor import seed_everything
    from grader.sandbox.jail import JailSettings
    from grader.sandbox.preload import preload
    from grader.sandbox.worker import CHANNEL, serve

    channel = int(sys.argv[1])
    torch.set_num_threads(1)
    x = torch.randn(2, 8, 8, requires_grad=True)
    torch.autograd.grad([(x @ x).softmax(-1)], [x], [torch.ones_like(x)])
    pretend_device.prepare()
    seed_everything(0)  # imports NumPy's generators
    line = sys.stdin.readline()
    if not line:
        return  # made ready, and not needed
    request = json.loads(line)
    preload(request["preload"])
    if channel != CHANNEL:
        os.dup2(channel, CHANNEL)
        os.close(channel)
    os.set_inheritable(CHANNEL, False)  # noqa: FBT003 - positional only
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.closerange(CHANNEL + 1, 4096)
    os.environ.clear()
    gc.freeze()
    gc.enable()
    serve(JailSettings.from_json(request["settings"]), os.getppid())


if __name__ == "__main__":
    main()
