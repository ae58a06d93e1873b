"""A figure is drawn with characters."""

import numpy as np
import torch
from matplotlib.figure import Figure

from grader.grading.terminal_picture import draw_for_terminal
from grader.suite.sketch import heatmap

TABLE = torch.tensor([[0.0, 0.5, 1.0], [1.0, 0.25, 0.0]])


def test_a_table_is_shades_between_its_labels() -> None:
    """Two characters a cell, labels of columns from top to bottom, and what the shades mean."""
    figure = Figure()
    axes = figure.subplots()
    figure.colorbar(heatmap(axes, TABLE, ["one", "猫"], ["ab", "c", ""]), ax=axes)
    axes.set_title("Weights")

    assert [
        "Weights",
        "one ··▒▒██",
        " 猫 ██░░··",
        "    a c",
        "    b",
        "    · 0  to  █ 1",
    ] == draw_for_terminal(figure, 80).splitlines()


def test_a_wide_table_takes_one_character_a_cell() -> None:
    """Rather than more columns than there are."""
    figure = Figure()
    heatmap(figure.subplots(), torch.ones(1, 60))

    assert "█" * 60 in draw_for_terminal(figure, 80)
    assert "█" * 61 not in draw_for_terminal(figure, 80)


def test_texts_in_cells_are_written_in_their_place() -> None:
    """A table of names is read, not looked at."""
    figure = Figure()
    axes = figure.subplots()
    heatmap(axes, TABLE)
    axes.text(1, 0, "b7", ha="center")
    axes.text(2, 1, "a10", ha="center")

    assert [" " * 5 + "b7", " " * 9 + "a10"] == draw_for_terminal(figure, 80).splitlines()


def test_lines_are_told_apart_by_their_characters() -> None:
    """Each has its own, which stands beside its name; limits, ticks and label are those of the axes."""
    figure = Figure()
    axes = figure.subplots()
    axes.plot([1, 10, 100], [0, 0.5, 1], label="mine")
    axes.plot([1, 100], [1, 1], label="theirs")
    axes.plot([1, np.nan], [np.inf, 0], label="_nothing")
    axes.set_xscale("log", base=10)
    axes.set_xticks([1, 10, 100], labels=["one", "ten", "hundred"])
    axes.set_ylim(0, 2)
    axes.set(xlabel="size", ylabel="share")

    drawn = draw_for_terminal(figure, 60)

    assert drawn.startswith("share\no mine   x theirs\n")
    for expected in ("2.0", "one", "ten", "hundred", "size", "x" * 40):
        assert expected in drawn
    assert "\x1b" not in drawn
    assert max(map(len, drawn.splitlines())) <= 60


def test_panels_stand_below_one_another() -> None:
    """With a line between them."""
    figure = Figure()
    for number, axes in enumerate(figure.subplots(1, 2)):
        heatmap(axes, TABLE)
        axes.set_title(f"panel {number}")

    first, second = draw_for_terminal(figure, 80).split("\n\n")

    assert (first.splitlines()[0], second.splitlines()[0]) == ("panel 0", "panel 1")
