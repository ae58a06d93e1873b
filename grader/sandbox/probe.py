"""Try out what this machine offers a worker: ``python -m grader.sandbox.probe`` prints it as JSON."""

import json
import os
import sys
import time


def main() -> None:
    """Start one worker in each way, and print what it says."""
    import torch

    from grader.model.rubric import Limits
    from grader.sandbox import pretend_device
    from grader.sandbox.jail import JailSettings, kit_paths, readable_paths
    from grader.sandbox.processes import Sandbox, SpawnSandbox, fork_sandboxes
    from grader.sandbox.zygote import fork_zygote

    torch.set_num_threads(1)
    forked: list[Sandbox] = [*fork_sandboxes(fork_zygote())] if sys.platform == "linux" else []
    sandboxes = [*forked, SpawnSandbox()]
    settings = JailSettings(readable=readable_paths(), hidden=kit_paths())
    workers = []
    for sandbox in sandboxes:
        if sandbox.start_method == "fork":
            sandbox.start_worker(settings, Limits()).close()  # the first one waits for the zygote
        started = time.perf_counter()
        worker = sandbox.start_worker(settings, Limits())
        workers.append({**worker.isolation.model_dump(), "ms": 1000 * (time.perf_counter() - started)})
        accelerator = worker.accelerator
        worker.close()
        sandbox.close()
    facts = {
        "torch": torch.__version__,
        "accelerator": accelerator,
        "pretend": pretend_device.unavailable_reason(),
        "cores": os.cpu_count(),
        "root": os.getuid() == 0,
        "workers": workers,
    }
    print(json.dumps(facts))  # noqa: T201 - this is what the program is for


if __name__ == "__main__":
    main()
