"""Pictures: scores"""

import torch

from grader.suite import expect_tensor
from grader.suite.sketch import double_along_x

SIZES = [4, 16, 64, 256]


def additive_parameters(draw, size):
    """Parameters of an additive score with 16 hidden units, as wide as a trained one's: every unit is squashed."""
    w_query, w_key = (draw.normal(16, size) / size**0.5 for _ in range(2))
    return w_query, w_key, draw.normal(16)


def picture_spread_of_scores(learner, draw, figure):
    """How far each kind of score spreads as vectors get longer

    The standard deviation of your scores for queries and keys of variance 1. The dot product grows with the root of the
    number of features, and the scale takes just that back. The additive score cannot leave the range that v gives it.
    """
    curves = {"dot": [], "scaled dot": [], "additive": []}
    for size in SIZES:
        query, key = draw.normal(1, 24, size), draw.normal(1, 24, size)
        scores = (
            learner.dot_score(query, key),
            learner.scaled_dot_score(query, key),
            learner.additive_score(query, key, *additive_parameters(draw, size)),
        )
        for name, score in zip(curves, scores, strict=True):
            curves[name].append(float(expect_tensor(score, f"the {name} score", (1, 24, 24)).std()))

    axes = figure.subplots()
    for number, (name, curve) in enumerate(curves.items()):
        axes.plot(SIZES, curve, ("o--", "o-", "s:")[number], color=("C1", "C0", "C2")[number], label=name)
    double_along_x(axes, SIZES)
    axes.set_ylim(bottom=0)
    axes.set(xlabel="features of a query and a key", ylabel="standard deviation of the scores")
    axes.grid(visible=True)
    axes.legend()


def picture_score_of_one_feature(learner, figure):
    """Four kinds of score for a query of 1 and a key between -4 and 4

    With one feature a score is a curve. Dot, scaled dot and general are straight lines; the matrix of the general score
    (here 2) tilts its line. The additive score is the only one that bends: far away nothing changes any more.
    """
    query, key = torch.ones(1, 1, 1), torch.linspace(-4, 4, 33).reshape(1, 33, 1)
    one = torch.ones(1, 1)
    scores = {
        "dot": learner.dot_score(query, key),
        "scaled dot": learner.scaled_dot_score(query, key),
        "general, W = 2": learner.general_score(query, key, 2 * one),
        "additive, v = 3": learner.additive_score(query, key, one, one, 3 * torch.ones(1)),
    }

    axes = figure.subplots()
    for number, (name, score) in enumerate(scores.items()):
        curve = expect_tensor(score, f"the score {name}", (1, 1, 33))[0, 0].numpy()
        style = ("-", "o", "--", "-")[number]  # dot and scaled dot are the same line where there is one feature
        axes.plot(key.flatten().numpy(), curve, style, color=f"C{number}", markersize=3, label=name)
    axes.set(xlabel="the key's feature", ylabel="score")
    axes.grid(visible=True)
    axes.legend()
