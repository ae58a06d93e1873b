"""Pictures: double"""

import torch

from grader.suite import expect_tensor
from grader.suite.sketch import heatmap


def picture_growth(learner, figure):
    """How your numbers grow

    One line: each step doubles.
    """
    values = [float(expect_tensor(learner.double(torch.ones(1), times), "double", (1,))[0]) for times in range(5)]
    axes = figure.subplots()
    axes.plot(range(5), values, label="your code")
    axes.plot(range(5), [2**times for times in range(5)], label="powers of two")
    axes.set(xlabel="times", ylabel="value")
    axes.legend()


def picture_table(learner, draw, figure):
    """A table, doubled"""
    drawn = expect_tensor(learner.double(draw.uniform(2, 3, high=0.5), 1), "double", (2, 3))
    axes = figure.subplots()
    figure.colorbar(heatmap(axes, drawn, ["a", "b"], ["x", "y", "z"]), ax=axes)
    axes.set_title("Twice")
