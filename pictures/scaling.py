"""Pictures: scaling"""

import torch

from grader.suite import expect_pair, expect_tensor
from grader.suite.sketch import double_along_x, heatmap

SIZES = [4, 16, 64, 256, 1024]
WITH, WITHOUT = "your code", "without the scale"


def weights_of(learner, query, key):
    """The learner's weights for one head, and those that the same code gives when its scale is undone beforehand."""
    value = torch.zeros(*key.shape[:-1], 1, dtype=key.dtype)
    shape = (*query.shape[:-1], key.shape[-2])
    both = []
    for factor in (1.0, query.shape[-1] ** 0.5):
        _, weights = expect_pair(learner.scaled_dot_product_attention(factor * query, key, value))
        both.append(expect_tensor(weights, "attention_weights", shape))
    return both


def measure(learner, draw, what):
    """What is measured of the weights with and without the scale, for each d_k."""
    found = []
    for d_k in SIZES:
        query, key = (draw.normal(1, 1, 32, d_k, dtype=torch.float64) for _ in range(2))
        found.append([float(what(weights)) for weights in weights_of(learner, query, key)])
    return zip(*found, strict=True)


def picture_spread_of_scores(learner, draw, figure):
    """How far your scores spread as d_k grows

    The standard deviation of the scores behind your weights, for queries and keys of variance 1. Divided by √d_k it
    stays at 1; without the scale it grows with √d_k.
    """
    with_scale, without = measure(learner, draw, lambda weights: weights.clamp_min(1e-300).log().std(dim=-1).mean())

    axes = figure.subplots()
    axes.plot(SIZES, without, "o--", color="C1", label=WITHOUT)
    axes.plot(SIZES, with_scale, "o-", color="C0", label=WITH)
    double_along_x(axes, SIZES)
    axes.set_ylim(bottom=0)
    axes.set(xlabel="d_k", ylabel="standard deviation of the scores")
    axes.grid(visible=True)
    axes.legend()


def picture_softmax_gradient(learner, draw, figure):
    """How much of the softmax's gradient is left as d_k grows

    The gradient of a weight p with respect to its own score is p (1 - p); here the sum of it over the keys, which is 0
    when one key takes everything. Without the scale large d_k leave nothing to learn from.
    """
    with_scale, without = measure(learner, draw, lambda weights: (weights * (1 - weights)).sum(dim=-1).mean())

    axes = figure.subplots()
    axes.plot(SIZES, with_scale, "o-", color="C0", label=WITH)
    axes.plot(SIZES, without, "o--", color="C1", label=WITHOUT)
    double_along_x(axes, SIZES)
    axes.set_ylim(0, 1)
    axes.set(xlabel="d_k", ylabel="sum of p (1 - p) over the keys")
    axes.grid(visible=True)
    axes.legend(loc="lower left")


def picture_weights_of_one_query(learner, draw, figure):
    """The weights that one query gives to twelve keys, the largest first

    With the scale the rows look alike whatever d_k is. Without it one key soon takes everything: attention has become
    a choice, which cannot be learned.
    """
    rows = []
    for d_k in SIZES:
        query, key = draw.normal(1, 1, 1, d_k), draw.normal(1, 1, 12, d_k)
        rows.append([weights[0, 0, 0].sort(descending=True).values for weights in weights_of(learner, query, key)])

    figure.set_size_inches(4.4, 2.9)
    panels = figure.subplots(2, 1)
    for number, (axes, title) in enumerate(zip(panels, (WITH, WITHOUT), strict=True)):
        image = torch.stack([row[number] for row in rows])
        drawn = heatmap(axes, image, [f"d_k = {size}" for size in SIZES], square=False)
        axes.set_title(title)
    figure.colorbar(drawn, ax=panels, shrink=0.8, label="weight")
