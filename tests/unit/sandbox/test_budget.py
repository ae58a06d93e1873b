"""The time for one submission."""

from types import SimpleNamespace

import pytest

from grader.sandbox import budget
from grader.sandbox.budget import Budget


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A machine whose clock and load are set by hand."""
    state = SimpleNamespace(now=1000.0, starved={1: 7.0}, process=1)
    monkeypatch.setattr(budget.time, "monotonic", lambda: state.now)
    monkeypatch.setattr(budget.os, "getpid", lambda: state.process)
    monkeypatch.setattr(budget, "starved_s", lambda pid: state.starved.get(pid, 0.0))
    return state


def test_on_an_idle_machine_it_is_the_time_by_the_clock(machine: SimpleNamespace) -> None:
    """Sleeping counts, too."""
    time = Budget(120)

    machine.now += 100
    assert 20 == time.left_s()
    machine.now += 25
    assert -5 == time.left_s()


def test_what_it_waited_for_a_processor_is_not_counted(machine: SimpleNamespace) -> None:
    """Both of this process, and not what it had waited before, and of workers."""
    time = Budget(120)
    time.watch(SimpleNamespace(starved_s=30.0))

    machine.now += 150
    machine.starved[1] += 40

    assert 120 - 150 + 40 + 30 == time.left_s()


def test_a_fork_begins_with_no_waiting(machine: SimpleNamespace) -> None:
    """The kernel counts each process from its own beginning."""
    time = Budget(120)

    machine.now += 130
    machine.process = 2
    machine.starved[2] = 20.0

    assert 120 - 130 + 20 == time.left_s()


def test_a_machine_that_gives_next_to_nothing_ends_it_all_the_same(machine: SimpleNamespace) -> None:
    """After four times the limit."""
    time = Budget(120)

    machine.now += 481
    machine.starved[1] += 480

    assert -1 == time.left_s()
