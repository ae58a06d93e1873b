"""Grading is shown while it goes."""

import io

import pytest
import samples
from rich.console import Console

from grader.model.verdict import Verdict
from grader.report.live import LiveView


def play(view, report):
    """Tell the view all that happens when this report comes about."""
    with view:
        for exercise in report.exercises:
            view.exercise_started(exercise.id, exercise.title, len(exercise.checks))
            for check in exercise.checks:
                view.check_done(exercise.id, check.verdict)
            view.exercise_done(exercise)


def screen(width=80, encoding="utf-8"):
    """A terminal, and the text that it got."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
    return Console(file=file, width=width, height=30, force_terminal=True, _environ={"TERM": "xterm"}), file.buffer


def test_without_a_terminal_each_exercise_gets_one_plain_line():
    """A log file holds one line for each exercise, however long, and no escape."""
    file = io.StringIO()

    play(LiveView(Console(file=file, width=20)), samples.ordinary())

    assert file.getvalue().splitlines() == [
        "masking: 10 of 10 points, full marks (0.3 s)",
        "scaling: 6 of 20 points, wrong answer: 7 of 11 (0.3 s)",
        "heads: 3 of 9 points, exception: 2 of 6 (0.3 s)",
        "multihead: 0 of 10 points, not begun (0.3 s)",
        "positional: 0 of 10 points, not begun (0.3 s)",
    ]


def test_it_goes_to_standard_error(capsys):
    """Standard output may carry a report in JSON."""
    play(LiveView(), samples.partial())

    out, err = capsys.readouterr()
    assert out == ""
    assert err == "heads: 4 of 4 points, full marks (0.3 s)\n"


def test_a_terminal_sees_a_bar_and_the_verdicts():
    """The running exercise has a bar and a count; each check leaves its symbol."""
    console, buffer = screen()
    with LiveView(console) as view:
        view.exercise_started("heads", "Splitting and merging heads", 4)
        view.check_done("heads", Verdict.PASSED)
        view.check_done("heads", Verdict.FAILED)
        view._live.refresh()

    text = buffer.getvalue().decode()
    assert "━━━━━━" in text
    assert " 2/4" in text
    assert "✓" in text
    assert "✗" in text


def test_the_lines_vanish_when_grading_ends():
    """The report's first line must be the first thing on the screen, so the last act is to erase."""
    console, buffer = screen()

    play(LiveView(console), samples.ordinary())

    assert buffer.getvalue().decode().endswith("\x1b[2K")


def test_the_lines_stay_when_grading_breaks():
    """Whoever meets a fault wants to see how far it went; the fault itself is not swallowed."""
    console, buffer = screen()

    def grade():
        with LiveView(console) as view:
            view.exercise_started("heads", "Splitting and merging heads", 4)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        grade()

    assert not buffer.getvalue().decode().endswith("\x1b[2K")


def test_the_cursor_comes_back():
    """A terminal without a cursor is a broken terminal."""
    console, buffer = screen()

    play(LiveView(console), samples.partial())

    text = buffer.getvalue().decode()
    assert text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l")


def test_an_exercise_that_was_never_started_still_gets_its_line():
    """A runner that has nothing to run for an exercise may report it at once."""
    file = io.StringIO()
    with LiveView(Console(file=file)) as view:
        view.exercise_done(samples.partial().exercises[0])

    assert file.getvalue() == "heads: 4 of 4 points, full marks (0.3 s)\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp932", "utf-8"])
@pytest.mark.parametrize("width", [20, 60, 120])
def test_any_terminal_can_show_it(width, encoding):
    """Every verdict, a hostile title and no symbols: nothing raises."""
    console, buffer = screen(width, encoding)

    play(LiveView(console), samples.every_verdict())
    play(LiveView(console), samples.hostile())

    assert b"\x1b]0;" not in buffer.getvalue()
