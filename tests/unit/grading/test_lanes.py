"""How exercises are shared out, and what comes back from each lane."""

import os
from collections.abc import Sequence

import pytest

from grader.grading.client import Runner
from grader.grading.lanes import LaneResult, run_lanes, share_out
from grader.grading.messages import Graded, Job, RunnerSettings
from grader.model.errors import RunnerError
from grader.model.submission import Cell, Entry, Flag, SourceFile, Submission
from tests.conftest import MINI_COURSE
from tests.unit.grading.test_verdicts_of_code import LAYER, RIGHT, without_times

ENTRIES = [Entry(exercise=name, path="x.py") for name in "abcde"]


def names(lanes: list[list[Entry]]) -> list[str]:
    """The exercises of each lane."""
    return ["".join(entry.exercise for entry in lane) for lane in lanes]


def test_lanes_take_about_as_long() -> None:
    """The longest go first, and each lane keeps the teaching order."""
    assert ["bce", "ad"] == names(share_out(ENTRIES, [4, 3, 5, 4, 2], 2))


def test_no_lane_is_empty() -> None:
    """One exercise needs one lane."""
    assert ["a"] == names(share_out(ENTRIES[:1], [3], 4))
    assert [] == share_out([], [], 2)


def test_results_come_back_from_every_lane() -> None:
    """From this process and from its forks."""

    def grade(lane: int, entries: Sequence[Entry]) -> LaneResult:
        return LaneResult(exercises=(), flags=(Flag(id=str(lane), message=f"{os.getpid()}"),))

    results = run_lanes([ENTRIES[:2], ENTRIES[2:4], ENTRIES[4:]], grade)

    assert ["0", "1", "2"] == [result.flags[0].id for result in results]
    assert 3 == len({result.flags[0].message for result in results})


def test_a_lane_that_ends_without_a_result_is_the_graders_fault() -> None:
    """Never a low score."""

    def grade(lane: int, entries: Sequence[Entry]) -> LaneResult:
        if lane:
            os._exit(3)
        return LaneResult(exercises=())

    with pytest.raises(RunnerError, match="ended without a result"):
        run_lanes([ENTRIES[:1], ENTRIES[1:]], grade)


def test_every_submission_gets_the_same_report_in_one_lane_and_in_two() -> None:
    """But for times; the second submission too, when everything is warm."""
    files = (
        SourceFile(path="double.py", cells=(Cell(text=RIGHT.replace("2 ** times", "3 ** times")),)),
        SourceFile(path="layer.py", cells=(Cell(text=LAYER),)),
    )
    entries = tuple(Entry(exercise=name, path=f"{name}.py") for name in ("double", "layer"))
    job = Job(submission=Submission(id="s", files=files), entries=entries, seed=3)
    reports = []
    for lanes in (1, 2):
        with Runner(RunnerSettings(course=str(MINI_COURSE), start_method="fork", lanes=lanes)) as runner:
            for _ in range(3):
                *_, last = runner.grade(job)
                assert isinstance(last, Graded)
                reports.append(without_times(last.report))

    assert 3 == reports[0]["score"]
    assert 1 == len({repr(report) for report in reports})
