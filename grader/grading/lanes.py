"""Grade a submission's exercises side by side, in copies of the trusted process."""

import os
import traceback
from collections.abc import Callable, Sequence

from grader.model.base import Model
from grader.model.errors import RunnerError
from grader.model.report import ExerciseReport, Isolation
from grader.model.submission import Entry, Flag


class LaneResult(Model):
    """What came of the exercises of one lane."""

    exercises: tuple[ExerciseReport, ...]
    flags: tuple[Flag, ...] = ()
    isolation: Isolation | None = None
    """None when no worker was needed."""
    accelerator: str = "cpu"


def share_out(entries: Sequence[Entry], weights: Sequence[int], lanes: int) -> list[list[Entry]]:
    """
    Share exercises out so that all lanes take about as long.

    Args:
        entries: The exercises in teaching order, which each lane keeps.
        weights: How long each takes, in any unit.
        lanes: How many lanes there are.

    Returns:
        At most ``lanes`` lists, none of them empty.
    """
    loads = [0] * lanes
    chosen: list[set[int]] = [set() for _ in range(lanes)]
    for index in sorted(range(len(entries)), key=lambda index: -weights[index]):
        lane = loads.index(min(loads))
        loads[lane] += weights[index]
        chosen[lane].add(index)
    return [[entry for index, entry in enumerate(entries) if index in lane] for lane in chosen if lane]


def run_lanes(
    lanes: Sequence[Sequence[Entry]], grade: Callable[[int, Sequence[Entry]], LaneResult]
) -> list[LaneResult]:
    """
    Run the first lane in this process and each other one in a fork of it.

    The process must have one thread.

    Args:
        lanes: The exercises of each lane.
        grade: Grades the exercises of a lane, given its number.

    Raises:
        RunnerError: If a fork ends without a result.
    """
    forks = [_fork(lane, entries, grade) for lane, entries in enumerate(lanes[1:], start=1)]
    results = [grade(0, lanes[0])]
    for pid, reading in forks:
        with os.fdopen(reading, "rb") as pipe:
            text = pipe.read()
        _, status = os.waitpid(pid, 0)
        if not text or status:
            raise RunnerError(f"a part of the grading process ended without a result (status {status})")
        results.append(LaneResult.model_validate_json(text))
    return results


def _fork(lane: int, entries: Sequence[Entry], grade: Callable[[int, Sequence[Entry]], LaneResult]) -> tuple[int, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    try:
        result = grade(lane, entries).model_dump_json().encode()
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(result)
        os._exit(0)
    except BaseException:  # noqa: BLE001 - told on standard error, which the other side reads
        traceback.print_exc()
    finally:
        os._exit(70)
