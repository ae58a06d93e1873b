"""Pictures: masking"""

import torch

from grader.suite import expect_tensor
from grader.suite.sketch import heatmap

SENTENCE = ["The", "cat", "sat", "on", "the", "mat"]


def picture_causal_mask(learner, figure):
    """Your causal mask: who may look at whom

    A row is a query, a column is a key; bright means "may attend". Each word sees itself and what stands before it.
    """
    mask = expect_tensor(learner.create_causal_mask(len(SENTENCE)), "the causal mask", (6, 6))

    figure.set_size_inches(3.4, 3.0)
    axes = figure.subplots()
    heatmap(axes, mask, SENTENCE, SENTENCE)
    axes.set(xlabel="key", ylabel="query")


def picture_combined_masks(learner, figure):
    """Your padding mask and causal mask together, for three sentences of 6, 4 and 2 words

    Bright means "may attend". A key that is padding is dark for every query; a query that is padding keeps its row,
    because nobody reads its answer.
    """
    lengths = [6, 4, 2]
    padding = learner.create_padding_mask(torch.tensor(lengths), 6)
    both = learner.combine_masks(padding, learner.create_causal_mask(6))
    both = expect_tensor(both, "the combined mask", (3, 1, 6, 6))

    figure.set_size_inches(4.4, 1.9)
    for axes, length, mask in zip(figure.subplots(1, 3), lengths, both, strict=True):
        words = [*SENTENCE[:length], *["·"] * (6 - length)]
        heatmap(axes, mask[0], words, words)
        axes.set_title(f"{length} words")


def picture_weights(learner, draw, figure):
    """Your softmax without a mask, and with a causal mask

    The same scores twice. With the mask the future gets no weight, and what is left in each row still sums to one: the
    first word has only itself to look at.
    """
    scores = 1.5 * draw.normal(1, 1, 6, 6)
    causal = torch.ones(6, 6, dtype=torch.bool).tril()
    both = (learner.masked_softmax(scores), learner.masked_softmax(scores, causal))

    figure.set_size_inches(4.4, 2.6)
    panels = figure.subplots(1, 2)
    for axes, weights, title in zip(panels, both, ("without a mask", "with a causal mask"), strict=True):
        weights = expect_tensor(weights, f"the weights {title}", (1, 1, 6, 6))
        drawn = heatmap(axes, weights[0, 0], SENTENCE, SENTENCE)
        axes.set_title(title)
    figure.colorbar(drawn, ax=panels, shrink=0.6, label="weight")
