"""Grade a submission's exercises side by side, in copies of the trusted process."""

import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pydantic import TypeAdapter

from grader.model.base import Model
from grader.model.errors import RunnerError
from grader.model.report import ExerciseReport, Isolation
from grader.model.submission import Flag


class GradedExercise(Model):
    """What came of one exercise."""

    report: ExerciseReport
    flags: tuple[Flag, ...] = ()
    isolation: Isolation | None = None
    """None when no worker was needed."""
    accelerator: str = "cpu"


_RESULTS: Final = TypeAdapter(dict[int, GradedExercise])


def run_lanes(
    order: Sequence[int], lanes: int, grade: Callable[[int, int], GradedExercise], *, here: bool = True
) -> list[GradedExercise]:
    """
    Grade exercises in this process and in forks of it, each taking the next from one queue until it is empty.

    The process must have one thread.

    Args:
        order: Numbers 0 to n - 1 of the exercises, in the order in which they are taken; the longest are best taken
            first.
        lanes: How many processes there may be.
        grade: Grades an exercise, given the number of its lane and its own.
        here: Whether this process is one of the lanes, and not all of them are forks.

    Returns:
        The results by number.

    Raises:
        RunnerError: If a fork ends without a result.
    """
    if not order:
        return []
    queue, writing = os.pipe()
    os.write(writing, bytes(order))
    os.close(writing)

    def grade_lane(lane: int) -> dict[int, GradedExercise]:
        return {number: grade(lane, number) for number in _taken_from(queue)}

    try:
        forks = [_fork(lane, grade_lane) for lane in range(1 if here else 0, min(lanes, len(order)))]
        results = grade_lane(0) if here else {}
    finally:
        os.close(queue)
    for pid, reading in forks:
        with os.fdopen(reading, "rb") as pipe:
            text = pipe.read()
        _, status = os.waitpid(pid, 0)
        if not text or status:
            raise RunnerError(f"a part of the grading process ended without a result (status {status})")
        results |= _RESULTS.validate_json(text)
    return [results[number] for number in range(len(order))]


def _taken_from(queue: int) -> Iterator[int]:
    """
    Yield one number after another; a byte in a pipe is read by one process alone.

    A course has no more exercises than a byte has values.
    """
    while taken := os.read(queue, 1):
        yield taken[0]


def _fork(lane: int, grade_lane: Callable[[int], dict[int, GradedExercise]]) -> tuple[int, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    try:
        result = _RESULTS.dump_json(grade_lane(lane))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(result)
        os._exit(0)
    except BaseException:  # noqa: BLE001 - told on standard error, which the other side reads
        traceback.print_exc()
    finally:
        os._exit(70)
