"""Print what a learner waits for, side by side in one run: ``python benchmarks/speed.py [ROUNDS]``."""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORE = ("masking", "scaling", "heads", "multihead", "positional")
"""The five exercises that are held to a time: nothing is trained in them."""
GRADE = [sys.executable, "-c", "from grader.cli.main import main; main()"]


def seconds(command: list[str], **options: object) -> float:
    """Wall seconds of a whole process."""
    started = time.perf_counter()
    subprocess.run(command, capture_output=True, check=False, **options)  # type: ignore[call-overload]
    return time.perf_counter() - started


def in_turn(rounds: int, **measured: Callable[[], float]) -> dict[str, list[float]]:
    """Measure each thing once a round, A B A B …, so that a machine whose speed drifts favours none."""
    found: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(rounds):
        for name, measure in measured.items():
            found[name].append(measure())
    return found


def show(name: str, values: list[float], unit: str = "s") -> None:
    """Print the median and the range."""
    print(f"{name:<50} {statistics.median(values):7.3f} {unit}  ({min(values):.3f} to {max(values):.3f})")


def watch_rechecks(rounds: int) -> list[float]:
    """Seconds from saving a file to its verdict, in a running ``grade check --watch``."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = pathlib.Path(folder)
        for path in (ROOT / "solutions").glob("*.py"):
            shutil.copy(path, workspace)
        command = [*GRADE, "check", "--watch"]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, cwd=workspace, stdout=subprocess.PIPE, stderr=quiet, text=True)
        assert process.stdout is not None
        seen = threading.Event()
        waiting_for = ["Watching for changes"]

        def read() -> None:
            for line in process.stdout or ():
                if waiting_for[0] in line:
                    seen.set()

        threading.Thread(target=read, daemon=True).start()
        seen.wait(120)
        waiting_for[0] = "Total:"
        found = []
        for number in range(rounds):
            time.sleep(1)
            seen.clear()
            text = (ROOT / "solutions" / "heads.py").read_text("utf-8")
            started = time.perf_counter()
            (workspace / "heads.py").write_text(f"{text}\n# save {number}\n", "utf-8")
            seen.wait(60)
            found.append(time.perf_counter() - started)
        process.terminate()
        process.wait()
        return found


def worker_costs(rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds to a worker that has said hello, and its private memory in MiB."""
    code = """
import time, sys
import torch
torch.set_num_threads(1)
from grader.sandbox.zygote import fork_zygote
zygote = fork_zygote()
from grader.sandbox.processes import fork_sandboxes
(sandbox,) = fork_sandboxes(zygote)
from grader.model.rubric import Limits
from grader.sandbox.jail import JailSettings, kit_paths, readable_paths
settings = JailSettings(readable=readable_paths(), hidden=kit_paths())
for _ in range(int(sys.argv[1]) + 1):
    started = time.perf_counter()
    worker = sandbox.start_worker(settings, Limits())
    ms = 1000 * (time.perf_counter() - started)
    rollup = open(f"/proc/{worker.pid}/smaps_rollup").read() if sys.platform == "linux" else ""
    private = sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Private_Dirty"))
    worker.close()
    print(ms, private / 1024)
"""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code, str(rounds)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    rows = [
        tuple(map(float, line.split())) for line in result.stdout.splitlines()[1:]
    ]  # the first waits for the zygote
    return [row[0] for row in rows], [row[1] for row in rows]


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "solutions", folder, dirs_exist_ok=True)
        found = in_turn(
            rounds,
            torch=lambda: seconds([sys.executable, "-c", "import torch"]),
            check=lambda: seconds([*GRADE, "check", folder, *(part for name in CORE for part in ("--only", name))]),
            whole=lambda: seconds([*GRADE, "check", folder]),
            help=lambda: seconds([*GRADE, "--help"]),
        )
    ratios = [check / torch for check, torch in zip(found["check"], found["torch"], strict=True)]
    show('python -c "import torch"', found["torch"])
    show("grade check, five exercises, none of them trained", found["check"])
    show("  as a multiple of importing torch", ratios, "x")
    show("grade check, the whole course", found["whole"])
    show("grade --help", found["help"])
    show("watch: from save to verdict, one exercise", watch_rechecks(rounds))
    ms, memory = worker_costs(4 * rounds)
    show("a forked worker, jailed and ready", ms, "ms")
    show("  its private memory", memory, "MiB")


if __name__ == "__main__":
    main()
