"""Code whose answers depend on which call it is gets a flag, and loses nothing by it."""

from types import SimpleNamespace

import pytest

from grader.grading.grade_submission import _SubmissionRun
from grader.model.verdict import Verdict
from grader.sandbox.problems import LearnerProblem
from tests.conftest import GradeMini

HONEST = "def double(x, times):\n    if times < 0:\n        raise ValueError\n    return x * 2 ** times\n"
COUNTS = """
import torch
calls = vars(torch).setdefault("_calls", [])  # a global of its own would begin anew with each check
def double(x, times):
    calls.append(x)
    return [x * 2, x * 8, x * 2][len(calls) - 1] if len(calls) < 4 else x
"""
COUNTS_AND_KEEPS = """
import torch
kept = vars(torch).setdefault("_kept", {})
def double(x, times):
    key = (times, *x.flatten().tolist())
    return kept.setdefault(key, [x * 2, x * 8, x * 2][len(kept)] if len(kept) < 3 else x)
"""
DRAWS = "import torch\ndef double(x, times):\n    return x * 2 ** times + 1e-7 * torch.rand(())\n"
PRINTS = "def double(x, times):\n    print('once for each call')\n    return x * 2 ** times\n"
SLOW_AGAIN = """
import time, torch
calls = vars(torch).setdefault("_calls", [])
def double(x, times):
    calls.append(x)
    if len(calls) > 4:
        time.sleep(30)
    return x * 2 ** times
"""
SPOILS_WHAT_IS_SAID_AGAIN = """
import sys
executor = sys.modules["grader.sandbox.executor"].Executor
seen = vars(executor).get("seen")
if seen is None:
    executor.seen = seen = set()
    perform = executor.perform
    def spoilt(self, request):
        reply = perform(self, request)
        reply["picture"] = {"title": "of nothing"} if request["seed"] in seen else None
        seen.add(request["seed"])
        return reply
    executor.perform = spoilt
def double(x, times):
    return x * 2 ** times
"""
ENDS_AGAIN = SLOW_AGAIN.replace("time.sleep(30)", "__import__('os')._exit(0)")


def flags(grade: GradeMini, code: str, seed: int = 1) -> set[str]:
    """The ids of the flags that code gets."""
    return {flag.id for flag in grade(code, seed=seed).flags}


def test_code_that_counts_its_calls_is_flagged(grade_mini: GradeMini) -> None:
    """It keeps its points: what it means is for a person to say."""
    report = grade_mini(COUNTS)

    assert {"changing_answers"} == {flag.id for flag in report.flags}
    assert 3 == report.score
    assert "double answers the same call differently" in report.flags[0].message


def test_code_that_counts_and_keeps_its_answers_is_mostly_noticed(grade_forked: GradeMini) -> None:
    """By a worker that has been asked nothing yet; which questions it gets is chance, and some orders hide it."""
    isolation = grade_forked(COUNTS_AND_KEEPS).environment.isolation
    if isolation and isolation.start_method != "fork":
        pytest.skip("Another worker is asked only where they are forked: one that is spawned takes seconds.")

    noticed = ["changing_answers" in flags(grade_forked, COUNTS_AND_KEEPS, seed) for seed in range(8)]

    assert sum(noticed) >= 4


@pytest.mark.parametrize("code", [HONEST, DRAWS, PRINTS, SLOW_AGAIN])
def test_honest_code_is_not_flagged(grade_forked: GradeMini, code: str) -> None:
    """Chance of its own comes from the call's seed, and a busy machine is not the code's fault."""
    assert set() == flags(grade_forked, code)


def test_code_that_ends_when_it_is_asked_again_is_flagged(grade_forked: GradeMini) -> None:
    """No answer is another answer."""
    assert {"changing_answers"} == flags(grade_forked, ENDS_AGAIN)


def test_an_answer_that_cannot_be_compared_is_another_one(grade_mini: GradeMini) -> None:
    """Whatever a worker says when it is asked again, the run goes on, and a person is told."""
    report = grade_mini(SPOILS_WHAT_IS_SAID_AGAIN)

    assert {"changing_answers"} == {flag.id for flag in report.flags}
    assert 3 == report.score


def test_being_asked_again_is_not_seen_in_what_was_printed(grade_mini: GradeMini) -> None:
    """A learner who counts prints must not wonder."""
    report = grade_mini(PRINTS)

    assert 4 == report.exercises[0].output.count("once for each call")
    assert 0 == report.exercises[0].output_dropped


@pytest.mark.parametrize(("killed", "alike"), [(1, True), (2, False)])
def test_a_process_that_somebody_else_kills_is_asked_once_more(killed: int, alike: bool) -> None:
    """A system that is short of memory kills whom it likes; that must not flag honest code."""
    ends = [LearnerProblem(Verdict.CRASHED, "killed", perhaps_killed=True)] * killed
    afresh_of = []

    def ask_again(requests: list[object], *, afresh: bool) -> list[object]:
        afresh_of.append(afresh)
        if ends:
            raise ends.pop()
        return requests

    run, session = SimpleNamespace(budget=SimpleNamespace(left_s=lambda: 1.0)), SimpleNamespace(ask_again=ask_again)

    assert alike == _SubmissionRun._answers_alike(run, session, [], afresh=False)  # type: ignore[arg-type]
    assert [False, True] == afresh_of
