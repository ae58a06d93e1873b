"""How exercises are shared out, and what comes back from each lane."""

import os
import select

import pytest

from grader.grading.client import Runner
from grader.grading.lanes import GradedExercise, run_lanes
from grader.grading.messages import Graded, Job, RunnerSettings
from grader.model.errors import RunnerError
from grader.model.report import ExerciseReport
from grader.model.submission import Cell, Entry, Flag, SourceFile, Submission
from tests.conftest import MINI_COURSE
from tests.unit.grading.test_verdicts_of_code import LAYER, RIGHT, without_times


def graded(name: str) -> GradedExercise:
    """An exercise of which nothing matters but where it was graded, kept as a flag."""
    report = ExerciseReport(id=name, title=name, score=0, max_score=0, criteria=())
    return GradedExercise(report=report, flags=(Flag(id="graded_by", message=f"{os.getpid()}"),))


def test_results_keep_the_order_of_the_entries() -> None:
    """Whichever lane took them, and in whatever order they were taken."""
    results = run_lanes([3, 1, 0, 2, 4], 3, lambda _, number: graded("abcde"[number]))

    assert list("abcde") == [result.report.id for result in results]


def test_a_lane_takes_the_next_when_it_is_done() -> None:
    """While one lane is busy with the longest, the other does all the rest."""

    def grade(lane: int, number: int) -> GradedExercise:
        while not number and not (done := select.select([finished], [], [], 60)[0]):
            assert done, "nobody did the rest"
        if number == 4:
            os.write(tell, b".")
        return graded("abcde"[number])

    finished, tell = os.pipe()
    results = run_lanes(range(5), 2, grade)

    by = [result.flags[0].message for result in results]
    assert by[0] not in by[1:]
    assert 1 == len(set(by[1:]))


def test_no_fork_is_made_for_nothing() -> None:
    """One exercise needs one lane, and that is this process."""
    assert str(os.getpid()) == run_lanes([0], 4, lambda *_: graded("a"))[0].flags[0].message
    assert [] == run_lanes([], 2, lambda *_: graded("a"))


def test_this_process_may_leave_everything_to_forks() -> None:
    """Where gradients do not survive a fork, a process that computes none can be forked again and again."""
    by = [result.flags[0].message for result in run_lanes(range(3), 2, lambda *_: graded("a"), here=False)]

    assert str(os.getpid()) not in by
    assert str(os.getpid()) not in run_lanes([0], 1, lambda *_: graded("a"), here=False)[0].flags[0].message


def test_a_lane_that_ends_without_a_result_is_the_graders_fault() -> None:
    """Never a low score."""

    def grade(lane: int, number: int) -> GradedExercise:
        if lane:
            os._exit(3)
        select.select([], [], [], 0.2)  # leaves something for the other
        return graded("abcde"[number])

    with pytest.raises(RunnerError, match="ended without a result"):
        run_lanes(range(5), 2, grade)


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
