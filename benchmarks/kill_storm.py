"""
Kill what grades a class, again and again, and see whether a single report changes.

Run: ``python benchmarks/kill_storm.py [--submissions 500] [--kills 100] [--seed 1]``. A class of the miniature course
is graded once in peace, and once while the coordinator, runners, zygotes, workers and readers are killed with SIGKILL
at random moments; the command is typed again whenever it is gone. Ends with status 1 if a report differs in anything
but its times, if a result is missing or doubled, or if a process is left over.
"""

import argparse
import difflib
import json
import random
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.cli import storm


def doubled(store: Path) -> int:
    """Gradings that are there more than once, and database pages that do not fit together."""
    with sqlite3.connect(store) as raw:
        (sound,) = raw.execute("PRAGMA integrity_check").fetchone()
        twice = raw.execute("SELECT key FROM gradings WHERE errored = 0 GROUP BY key HAVING count(*) > 1").fetchall()
    return len(twice) + (sound != "ok")


def main() -> None:
    """Grade in peace, grade under fire, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=500)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest-s", type=float, default=0.0, help="longest pause between kills; fitted if not given")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = storm.make_class(Path(folder) / "class", arguments.submissions)
        quiet, stormy = Path(folder) / "quiet.sqlite", Path(folder) / "stormy.sqlite"
        started = time.monotonic()
        peaceful = storm.grade(source, quiet)
        quiet_s = time.monotonic() - started
        if peaceful.returncode:
            raise SystemExit(peaceful.stdout + peaceful.stderr)
        print(f"in peace: {arguments.submissions} submissions in {quiet_s:.0f} s", flush=True)
        # A little slower than the class is graded, so that the last kill comes before the end; and long enough for
        # runners to start in between.
        longest_s = arguments.longest_s or max(2.0, 1.6 * quiet_s / arguments.kills)
        started = time.monotonic()
        killed, said = storm.kill_storm(source, stormy, arguments.kills, random.Random(arguments.seed), longest_s)
        print(f"under fire: {time.monotonic() - started:.0f} s, the command was typed {len(said)} times")
        print("killed: " + ", ".join(f"{number} {kind}" for kind, number in killed.items()))
        expected, found = storm.reports(quiet), storm.reports(stormy)
        differing = [student for student in expected if expected[student] != found.get(student)]
        tracebacks = sum("Traceback" in each for each in said)
        time.sleep(1)
        left = storm.left_over("grader.grading")
        print(
            f"reports: {len(found)} of {len(expected)}, {len(differing)} differ; doubled or damaged: {doubled(stormy)}"
        )
        print(f"tracebacks: {tracebacks}; processes left over: {len(left)}")
        for student in differing[:3]:
            pair = (
                json.dumps(json.loads(side.get(student, "null")), indent=1).splitlines() for side in (expected, found)
            )
            print(
                "\n".join(difflib.unified_diff(*pair, f"{student} in peace", f"{student} under fire", lineterm="", n=2))
            )
        if differing or len(found) != len(expected) or doubled(stormy) or tracebacks or left:
            raise SystemExit(f"not the same: {', '.join(differing[:10])}")


if __name__ == "__main__":
    main()
