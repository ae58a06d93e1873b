"""A process that has imported torch and nothing else, and forks workers on request."""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, NoReturn

from grader.sandbox.huge_pages import collapse_memory
from grader.sandbox.jail import JailSettings, PreparedJail, adopt_orphans, kill_orphans, make_undumpable
from grader.sandbox.preload import UNNOTICED, preload

_FIRST_FREE: Final = 4
"""Descriptors from here on are closed in a worker, but what its jail needs: 0 to 2 are its streams, 3 its channel."""

_MANY_FORKS: Final = 40
"""So many forks cost more than moving all memory to huge pages does: whoever asked for them will ask for more."""
_PAGES_A_FORK: Final = 8
"""How many huge pages to make after each fork then, so that nobody waits for long."""


class Zygote(NamedTuple):
    """A zygote, as the process sees it that forked it."""

    pid: int
    controls: tuple[socket.socket, ...]
    """One for each process that will ask for workers."""


def fork_zygote(lanes: int = 1) -> Zygote:
    """
    Fork a zygote from this process.

    torch must be imported, with one thread, and no hidden material be loaded. pydantic need not be, so that the zygote
    warms up on one core while this process imports it on another.

    Args:
        lanes: How many processes will ask, forked from this one later.
    """
    pairs = [socket.socketpair() for _ in range(lanes)]
    pid = os.fork()
    if pid == 0:
        try:
            for ours, _ in pairs:
                ours.close()
            serve_forks([theirs for _, theirs in pairs])
        finally:
            os._exit(70)
    for _, theirs in pairs:
        theirs.close()
    return Zygote(pid, tuple(ours for ours, _ in pairs))


def serve_forks(controls: Sequence[socket.socket]) -> NoReturn:
    """
    Warm up, then fork a worker for each ``spawn`` request until every control socket is closed; never returns.

    Must run with a single thread: a child forked from a parent with an OpenMP pool hangs at its first parallel
    operation, because the pool's threads do not exist in it.

    Args:
        controls: JSON lines; ``spawn`` carries two descriptors, the worker's channel and its output pipe. One for each
            process that asks.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the trusted side, which then closes the socket
    make_undumpable()
    adopt_orphans()  # what a worker without the system call filter detaches from itself comes to light here
    gradients = _warm_up()
    me = os.getpid()
    loaded: set[str] = set()
    workers: set[int] = set()
    prepared: PreparedJail | None = None
    forks = 0
    huge_pages: Iterator[int] = iter(())
    for control in controls:
        control.sendall(json.dumps({"gradients_survive_forks": gradients}).encode() + b"\n")
    waiting = list(controls)
    while waiting:
        control = select.select(waiting, [], [])[0][0]
        request, descriptors = _receive(control)
        if request is None:
            waiting.remove(control)
            continue
        if request["op"] == "spawn":
            # What is imported here all later workers have, and one submission must not be graded as another's allows.
            for_all, for_one = (
                [module for module in request["preload"] if (module in UNNOTICED) is wanted] for wanted in (True, False)
            )
            if not loaded.issuperset(for_all):
                preload(for_all)
                loaded.update(for_all)
                gc.freeze()
            settings = JailSettings.from_json(request["settings"])
            prepared = _prepare(settings, prepared)
            pid = os.fork()
            if pid == 0:
                _become_worker(controls, descriptors, settings, me, prepared, for_one)
            for descriptor in descriptors:
                os.close(descriptor)
            workers.add(pid)
            forks += 1
            if forks == _MANY_FORKS:
                huge_pages = collapse_memory()
            answer: dict[str, Any] = {"pid": pid}
        else:
            answer = _reap(request["pid"])
            workers.discard(request["pid"])
            if not request["confined"]:
                kill_orphans(keep=workers)
        control.sendall(json.dumps(answer).encode() + b"\n")
        for _ in range(_PAGES_A_FORK):
            next(huge_pages, None)
    os._exit(0)


def _prepare(settings: JailSettings, before: PreparedJail | None) -> PreparedJail:
    """Return what was prepared before if these settings can have it, as all of one course can."""
    if before is not None:
        if before.fits(settings):
            return before
        before.close()
    return PreparedJail(settings)


def _receive(control: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    data = b""
    descriptors: list[int] = []
    while not data.endswith(b"\n"):
        chunk, received, _, _ = socket.recv_fds(control, 1 << 16, 4)
        if not chunk:
            return None, descriptors
        data += chunk
        descriptors += received
    return json.loads(data), descriptors


def _become_worker(
    controls: Sequence[socket.socket],
    descriptors: list[int],
    settings: JailSettings,
    parent: int,
    prepared: PreparedJail,
    preloaded: Sequence[str],
) -> NoReturn:
    from grader.sandbox.worker import CHANNEL, serve  # already imported by the warm-up

    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        preload(preloaded)  # as long as what it prints is not taken for the learner's
        channel, output = (os.dup(descriptor) for descriptor in descriptors)  # out of the way of 0 to 3
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, 0), (output, 1), (output, 2), (channel, CHANNEL)):
            os.dup2(source, target)
        for control in controls:
            control.detach()
        kept = _FIRST_FREE - 1 if prepared.ruleset is None else prepared.ruleset
        os.closerange(_FIRST_FREE, kept)
        os.closerange(kept + 1, 4096)
        os.environ.clear()
        gc.enable()
        serve(settings, parent, prepared)
    finally:
        os._exit(70)


def _reap(pid: int) -> dict[str, Any]:
    try:
        _, status, usage = os.wait4(pid, 0)
    except ChildProcessError:
        return {"status": 0, "peak_mb": 0, "cpu_s": 0.0}
    return {"status": status, "peak_mb": usage.ru_maxrss >> 10, "cpu_s": usage.ru_utime + usage.ru_stime}


def _warm_up() -> bool:
    """
    Do once what would otherwise cost each worker, or behave differently in its jail.

    Returns:
        Whether gradients were among it, because they survive a fork here.

    The first operations read /proc/cpuinfo to choose their kernels: in a jail without it they would fall back to
    slower ones whose results differ in the sixth digit. ``autograd.grad`` imports sympy at its first use, and seeding
    imports NumPy's generators, which took about 7 % of the time that workers used.
    """
    import torch

    from grader.sandbox import autograd_forks, pretend_device, worker
    from grader.sandbox.executor import seed_everything
    from grader.sandbox.wire import pack_frame, split_frame, unpack_frame

    assert worker.CHANNEL
    torch.set_num_threads(1)
    gradients = autograd_forks.survive_forks()
    x = torch.randn(2, 2, 8, 8, requires_grad=True)
    outputs = [
        torch.nn.functional.scaled_dot_product_attention(x, x, x),
        torch.nn.Linear(8, 8)(x).softmax(-1),
        (x @ x).sin(),
    ]
    if gradients:
        torch.autograd.grad(outputs, [x], [torch.ones_like(output) for output in outputs])
        pretend_device.prepare()
    else:
        with contextlib.suppress(ImportError):  # what a first gradient would import, half a second for each worker
            importlib.import_module("torch.fx.experimental.symbolic_shapes")
    unpack_frame(*split_frame(pack_frame({"x": x, "n": (1, 2.0)})))
    seed_everything(0)
    gc.collect()
    gc.freeze()  # otherwise a child's first collection copies every page that torch's objects lie on
    return gradients
