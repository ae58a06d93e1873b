"""
Say what each layer of the jail costs a worker, in milliseconds.

Run: ``python benchmarks/jail_cost.py [--rounds 100] [--without-torch]``. Workers are forked from this process, which
has imported torch as the grader's own does, so that copying its page tables is part of the figures, and which makes
ready what all jails have in common, as the grader's own does; one line says what a jail takes without that. Every round
measures every case once, so that a busy machine slows all of them alike. Processor times are medians over the rounds;
clock times are the quickest of all rounds, since on a shared machine the others measure its other users.
"""

import argparse
import gc
import importlib
import json
import os
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.sandbox.jail import (
    LAYERS,
    JailSettings,
    PreparedJail,
    enter_jail,
    kill_everything,
    kit_paths,
    readable_paths,
)

NOTHING = "nothing (the call itself)"
WHOLE = "the whole jail"
UNPREPARED = "the whole jail, not prepared"


def measure_entering(settings: JailSettings, prepared: PreparedJail | None) -> tuple[float, float, float, str]:
    """Fork one worker; return processor and clock seconds in `enter_jail`, seconds from fork to end, and its level."""
    reading, writing = os.pipe()
    parent = os.getpid()
    started = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        before = time.process_time(), time.perf_counter()
        report = enter_jail(settings, parent, prepared)
        used_s, entering_s = time.process_time() - before[0], time.perf_counter() - before[1]
        os.write(writing, json.dumps([used_s, entering_s, report.level]).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    life_s = time.perf_counter() - started
    os.close(writing)
    used_s, entering_s, level = json.loads(os.read(reading, 1000))
    os.close(reading)
    return used_s, entering_s, life_s, level


def measure_killing() -> float:
    """Return the seconds that it takes to kill a worker with all that it could have started."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        time.sleep(60)
        os._exit(0)
    started = time.perf_counter()
    kill_everything(pid)
    killing_s = time.perf_counter() - started
    os.waitpid(pid, 0)
    return killing_s


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--without-torch", action="store_true", help="fork from a small process instead")
    arguments = parser.parse_args()
    if not arguments.without_torch:
        importlib.import_module("torch")
    before = time.perf_counter()
    whole = JailSettings(readable=readable_paths(), hidden=kit_paths())
    listing_s = time.perf_counter() - before
    cases = {NOTHING: replace(whole, off=frozenset(LAYERS))}
    cases |= {f"only {layer}": replace(whole, off=frozenset(LAYERS) - {layer}) for layer in LAYERS}
    cases |= {f"all but {layer}": replace(whole, off=frozenset({layer})) for layer in ("landlock", "seccomp", "user")}
    cases |= {UNPREPARED: whole, WHOLE: whole}
    gc.collect()
    gc.freeze()

    used: dict[str, list[float]] = {name: [] for name in cases}
    entering: dict[str, list[float]] = {name: [] for name in cases}
    life: dict[str, list[float]] = {name: [] for name in cases}
    killing = []
    level = ""
    for _ in range(arguments.rounds):
        for name, settings in cases.items():
            prepared = None if name == UNPREPARED else PreparedJail(settings)
            used_s, entering_s, life_s, level = measure_entering(settings, prepared)
            if prepared:
                prepared.close()
            used[name].append(used_s)
            entering[name].append(entering_s)
            life[name].append(life_s)
        killing.append(measure_killing())

    floor = statistics.median(used[NOTHING])
    print(f"{arguments.rounds} rounds, {len(whole.readable)} readable paths, level of the whole jail: {level}")
    print("milliseconds                  processor, above nothing    clock, at best    fork to end, at best")
    for name in cases:
        above = statistics.median(used[name]) - floor
        print(f"{name:<29} {above * 1e3:>24.2f} {min(entering[name]) * 1e3:>17.2f} {min(life[name]) * 1e3:>23.2f}")
    print(f"once per run, listing what may be read: {listing_s * 1e3:.1f} ms")
    print(f"kill_everything on an idle worker, at best: {min(killing) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
