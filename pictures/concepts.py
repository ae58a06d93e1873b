"""Pictures: concepts"""

import torch
from matplotlib.ticker import EngFormatter

from grader.suite import expect_tensor
from grader.suite.sketch import double_along_x

SIZES = [2, 4, 8, 16, 32, 64, 128, 256]
LENGTHS = [2, 8, 32, 128, 512, 2048]
D_MODEL = 64


def number(value, what):
    """The number in a tensor of one element."""
    return float(expect_tensor(value, what, ()))


def picture_why_scale(learner, draw, figure):
    """The largest weight of a query, with and without the scale

    For queries and keys of variance 1 and sixteen keys. Without the scale, long vectors make nearly every query spend
    all of its weight on one key, before anything was learned. Divided by √d_k, how long they are makes no difference.
    """
    curves = {"divided by √d_k": [], "not divided": []}
    for size in SIZES:
        query, key = draw.normal(64, size), draw.normal(16, size)
        for name, scaled in zip(curves, (True, False), strict=True):
            answer = expect_tensor(learner.sharpness(query, key, scaled), "what sharpness returns", (2,))
            curves[name].append(100 * float(answer[1]))

    axes = figure.subplots()
    for (name, curve), style, colour in zip(curves.items(), ("o-", "s--"), ("C0", "C1"), strict=True):
        axes.plot(SIZES, curve, style, color=colour, label=name)
    axes.axhline(100 / 16, color="C2", linestyle=":", label="shared out evenly")
    double_along_x(axes, SIZES)
    axes.set_ylim(0, 100)
    axes.set(xlabel="d_k", ylabel="largest weight, in %")
    axes.grid(visible=True)
    axes.legend()


def picture_soft_look_up(learner, figure):
    """From a mean to a look-up, by how loud the question is

    Four keys have the values 10, 20, 30 and 40, and each query asks for one of them. A query of zeros gets the mean of
    all, whatever it asks for. The larger it is, the more it gets the value of its own key alone.
    """
    gains = torch.linspace(0, 12, 25)
    values = torch.tensor([[10.0], [20.0], [30.0], [40.0]])
    keys = torch.eye(4)
    answers = [
        expect_tensor(learner.soft_look_up(keys, keys, values, float(gain)), "what soft_look_up returns", (4, 1))
        for gain in gains
    ]

    axes = figure.subplots()
    for query in range(4):
        curve = [float(answer[query, 0]) for answer in answers]
        axes.plot(gains.numpy(), curve, ("-", "--", "-.", ":")[query], color=f"C{query}", label=f"asks for {query}")
    axes.set(xlabel="gain of the query", ylabel="what it gets")
    axes.grid(visible=True)
    axes.legend()


def picture_long_rows(learner, figure):
    """What one outstanding key still gets as the row becomes longer

    Its score is above all others by 2, 4 or 8, and all the others are equal. Each of them takes a little, so an
    advantage that was plenty for a sentence is nothing for a book.
    """
    axes = figure.subplots()
    for place, advantage in enumerate((2.0, 4.0, 8.0)):
        curve = [100 * number(learner.weight_of_one(advantage, n), "what weight_of_one returns") for n in LENGTHS]
        axes.plot(LENGTHS, curve, ("o:", "s--", "o-")[place], color=f"C{place}", label=f"ahead by {advantage:g}")
    double_along_x(axes, LENGTHS)
    axes.set_ylim(0, 100)
    axes.set(xlabel="keys", ylabel="its weight, in %")
    axes.grid(visible=True)
    axes.legend()


def picture_where_the_costs_cross(learner, figure):
    """What a layer of 64 features multiplies: projections, and the mixing of tokens

    Twice the tokens, twice the projections, and four times the mixing. They cost the same at n = 2 d, 128 tokens here;
    of longer texts mixing is all that matters.
    """
    counted = [
        expect_tensor(learner.multiplications(n, D_MODEL), "what multiplications returns", (2,)).tolist()
        for n in LENGTHS
    ]

    axes = figure.subplots()
    for place, name in enumerate(("projections", "mixing")):
        curve = [max(float(pair[place]), 1.0) for pair in counted]
        axes.plot(LENGTHS, curve, ("o-", "s--")[place], color=f"C{place}", label=name)
    double_along_x(axes, LENGTHS)
    axes.set_yscale("log", base=10)
    axes.yaxis.set_major_formatter(EngFormatter())  # 1 k, 1 M, 1 G
    axes.set(xlabel="tokens", ylabel="multiplications")
    axes.grid(visible=True)
    axes.legend()
