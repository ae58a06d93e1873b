"""Pictures: heads"""

import matplotlib as mpl
import torch

from grader.suite import expect_tensor
from grader.suite.sketch import heatmap

TOKENS, HEADS, D_K = 4, 3, 4
# One colour for the features that each head should own, and a shade of it for each of them.
SHADES = [mpl.colormaps[name](0.15 + 0.1 * shade) for name in ("Blues", "Oranges", "Greens") for shade in range(D_K)]


def table(axes, values):
    """Draw a table of numbers 100 * token + feature: the token as a letter, the feature as number and colour."""
    known = (values >= 0) & (values < 100 * TOKENS) & (values % 100 < HEADS * D_K) & (values == values.round())
    features = torch.where(known, values % 100, float("nan"))
    heatmap(axes, features, limits=(0, HEADS * D_K - 1), colours=mpl.colors.ListedColormap(SHADES))
    for row, values_of_token in enumerate(values.tolist()):
        for column, value in enumerate(values_of_token):
            text = f"{'abcd'[int(value) // 100]}{int(value) % 100}" if known[row, column] else "?"
            axes.text(column, row, text, ha="center", va="center", fontsize=7.5, color="black")


def picture_where_features_go(learner, figure):
    """Where your code puts each feature of four tokens

    b7 is feature 7 of token b. Above the input, with three heads of four features; in the middle your three heads, each
    of which should keep all tokens in their rows and own four neighbouring features; below what your merge makes of
    them, which should be the input again.
    """
    x = 100.0 * torch.arange(TOKENS)[:, None] + torch.arange(HEADS * D_K)
    heads = expect_tensor(learner.split_heads(x[None], HEADS), "the heads", (1, HEADS, TOKENS, D_K))
    merged = expect_tensor(learner.merge_heads(heads), "the merged heads", (1, TOKENS, HEADS * D_K))

    figure.set_size_inches(4.4, 5.2)
    panels = figure.subplot_mosaic([["input"] * HEADS, [f"head {i}" for i in range(HEADS)], ["merged"] * HEADS])
    table(panels["input"], x)
    for i in range(HEADS):
        table(panels[f"head {i}"], heads[0, i])
    table(panels["merged"], merged[0])
    for title, axes in panels.items():
        axes.set_title(title)
