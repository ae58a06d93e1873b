"""Exercises that are graded side by side."""

from grader.grading.client import Runner
from grader.grading.messages import Graded, Job, RunnerSettings
from grader.model.submission import Cell, Entry, SourceFile, Submission
from tests.conftest import MINI_COURSE
from tests.unit.grading.test_verdicts_of_code import LAYER, RIGHT


def test_every_submission_is_graded_in_all_lanes_and_not_only_the_first() -> None:
    """What a lane learns of the process that starts workers is lost when the lane ends."""
    files = [
        SourceFile(path=f"{name}.py", cells=(Cell(text=text),)) for name, text in (("double", RIGHT), ("layer", LAYER))
    ]
    entries = [Entry(exercise=name, path=f"{name}.py") for name in ("double", "layer")]
    job = Job(submission=Submission(id="test", files=tuple(files)), entries=tuple(entries), seed=1)

    with Runner(RunnerSettings(course=str(MINI_COURSE), lanes=2)) as runner:
        reports = [last.report for *_, last in (runner.grade(job) for _ in range(3)) if isinstance(last, Graded)]

    assert [7, 7, 7] == [report.score for report in reports]
