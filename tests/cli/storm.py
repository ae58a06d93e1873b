"""Grade a class in a process of its own, kill what grades it, and compare what comes out in the end."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil

from grader.grading.store import Status, open_store
from tests.conftest import MINI_COURSE

SEED = "5"
_LOOK_S = 5.0
KINDS = ("coordinator", "runner", "zygote", "worker", "reader")

_RIGHT = "def double(x, times):\n    if times < 0:\n        raise ValueError(times)\n    return x * 2 ** times\n"
_FORMS = (
    _RIGHT,
    "def double(x, times):\n    return x * 3 ** times\n",
    "def double(x, times):\n    return x.detach() * 2 ** times\n",
    "def double(x, times):\n    raise NotImplementedError\n",
    "def double(x, times):\n    import os\n    os._exit(3)\n",
    "def dubble(x, times):\n    return x\n",
    "this is no Python\n",
    _RIGHT + "print('loaded')\n",
)


def make_class(folder: Path, number: int) -> Path:
    """Write hand-ins that are all different: right, wrong, broken and hostile ones in turn."""
    for index in range(number):
        home = folder / f"s{index:05}"
        home.mkdir(parents=True)
        (home / "double.py").write_text(f"# {index}\n{_FORMS[index % len(_FORMS)]}", "utf-8")
        if index % 3 == 0:
            (home / "layer.py").write_text((MINI_COURSE / "solutions" / "layer.py").read_text("utf-8"), "utf-8")
    return folder


def command(source: Path, store: Path, *options: str) -> list[str]:
    """What an instructor types."""
    typed = ["batch", str(source), "--store", str(store), "--output", str(store.with_suffix(".out")), "--seed", SEED]
    code = "from grader.cli.main import main; main()"
    return [sys.executable, "-c", code, *typed, "--course", str(MINI_COURSE), "--jobs", "2", *options]


def start(source: Path, store: Path) -> subprocess.Popen[str]:
    """Begin to grade."""
    return subprocess.Popen(
        command(source, store), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def grade(source: Path, store: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Grade without disturbance."""
    return subprocess.run(command(source, store, *options), capture_output=True, text=True, check=False)


def victims(coordinator: int) -> dict[str, list[int]]:
    """The processes of a grading by kind."""
    found: dict[str, list[int]] = {kind: [] for kind in KINDS}
    found["coordinator"].append(coordinator)
    for child in _children(coordinator):
        command_line = _read(f"/proc/{child}/cmdline").split("\0")
        if "grader.grading.reader" in command_line:
            found["reader"].append(child)
        elif "grader.grading.runner" in command_line:
            found["runner"].append(child)
            for zygote in _children(child):
                found["zygote"].append(zygote)
                found["worker"] += _children(zygote)
    return found


def _children(pid: int) -> list[int]:
    threads = [_read(f"/proc/{pid}/task/{thread}/children") for thread in _names(f"/proc/{pid}/task")]
    return [int(child) for children in threads for child in children.split()]


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # it ended meanwhile
        return []


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError:
        return ""


def _wait_for(kind: str, coordinator: int) -> list[int]:
    """Workers live for milliseconds, and zygotes begin long after their runners: look until one is there."""
    until = time.monotonic() + _LOOK_S
    while not (found := victims(coordinator)[kind]) and time.monotonic() < until and _read(f"/proc/{coordinator}/stat"):
        time.sleep(0.002)
    return found


def kill_storm(
    source: Path, store: Path, kills: int, chance: random.Random, longest_s: float
) -> tuple[dict[str, int], list[str]]:
    """
    Grade while killing processes at random moments, starting the command again whenever it is gone, until it is done.

    Returns:
        How many of each kind were killed, and what the command said whenever it ended.
    """
    killed = dict.fromkeys(KINDS, 0)
    said: list[str] = []
    running = start(source, store)
    while sum(killed.values()) < kills:
        time.sleep(chance.uniform(0, longest_s))
        if running.poll() is not None:
            if running.returncode == 0:
                break  # everything is graded before everybody was killed
            said.append(running.communicate()[0])
            running = start(source, store)
            continue
        kind = chance.choice(KINDS)
        processes = _wait_for(kind, running.pid)
        if processes and running.poll() is None:
            try:
                os.kill(chance.choice(processes), signal.SIGKILL)
                killed[kind] += 1
            except ProcessLookupError:
                pass
    said.append(running.communicate()[0])
    for _ in range(20):
        last = grade(source, store)
        said.append(last.stdout + last.stderr)
        if last.returncode == 0:
            return killed, said
    raise AssertionError(f"it never came to an end: {said[-1]}")


def left_over(marker: str) -> list[psutil.Process]:
    """Runners and readers whose coordinator is gone; they notice and end."""
    return [
        process
        for process in psutil.process_iter(["cmdline", "ppid"])
        if process.info["ppid"] == 1 and any(marker in part for part in process.info["cmdline"] or ())
    ]


def reports(store: Path) -> dict[str, str]:
    """Everybody's report in the latest run as text, but for times."""
    with open_store(store) as opened:
        run = opened.run()
        assert run.finished_at is not None
        found = {}
        for result in opened.results(run):
            assert Status.GRADED is result.status
            report = result.report()
            assert report is not None
            found[result.student.id] = json.dumps(_without_times(report.model_dump(mode="json")))
        return found


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(item) for key, item in value.items() if key != "seconds"}
    return [_without_times(item) for item in value] if isinstance(value, list) else value
