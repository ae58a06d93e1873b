"""Pictures: multihead"""

import torch

from grader.suite import expect_pair, expect_tensor
from grader.suite.sketch import heatmap

SENTENCE = ["The", "animal", "left", "the", "street", "because", "it", "was", "tired"]
HEADS, D_K = 4, 8
D_MODEL = HEADS * D_K
SPEEDS = torch.tensor([1.8, 0.9, 0.45, 0.22])
"""How fast the four hands of the clock turn that tells a token its place."""


def positions(length, shift=0.0):
    """A code of each place, ``(length, D_K)``: the cosine and sine of four angles."""
    angles = (torch.arange(length) + shift)[:, None] * SPEEDS
    return torch.cat([angles.cos(), angles.sin()], dim=1)


def turning_back():
    """The matrix that turns the code of a place into that of the place before it."""
    cosines, sines = SPEEDS.cos().diag(), SPEEDS.sin().diag()
    return torch.cat([torch.cat([cosines, sines], dim=1), torch.cat([-sines, cosines], dim=1)])


def meanings(words, draw):
    """A vector for each word, ``(len(words), D_K)``: the same one for the same word, and different ones otherwise."""
    known = sorted({word.lower() for word in words})
    directions = torch.linalg.qr(draw.normal(max(len(known), D_K), D_K)).Q
    vectors = directions / directions.norm(dim=1, keepdim=True)
    return torch.stack([vectors[known.index(word.lower())] for word in words])


def set_up(learner, query_map, key_map):
    """Return the learner's layer with these maps in its projections, and with values and outputs left as they are."""
    layer = learner.MultiHeadAttention(D_MODEL, HEADS).eval()
    values = {
        "W_q.weight": query_map,
        "W_k.weight": key_map,
        "W_v.weight": torch.eye(D_MODEL),
        "W_o.weight": torch.eye(D_MODEL),
    }
    biases = {name: torch.zeros_like(bias) for name, bias in layer.parameters().items() if name.endswith("bias")}
    return layer.load(values | biases)


def picture_heads_of_a_sentence(learner, draw, figure):
    """What four heads of your layer look at

    The projections are set by hand, so that head 0 looks for the word before, head 1 asks from "it" for an animal,
    head 2 looks for the same word, and head 3 looks for nothing, so it spreads evenly. Your code splits, scores and
    shares out. Rows are queries, columns are keys.
    """
    length = len(SENTENCE)
    x = torch.zeros(1, length, D_MODEL)
    x[0, :, :D_K] = positions(length)
    x[0, SENTENCE.index("it"), D_K] = x[0, SENTENCE.index("animal"), D_K + 1] = 1.0
    x[0, :, 2 * D_K : 3 * D_K] = meanings(SENTENCE, draw)
    query_map, key_map = torch.zeros(D_MODEL, D_MODEL), torch.eye(D_MODEL)
    query_map[:D_K, :D_K] = 6 * turning_back()
    query_map[D_K + 1, D_K] = 12.0
    query_map[2 * D_K : 3 * D_K, 2 * D_K : 3 * D_K] = 14 * torch.eye(D_K)

    _, weights = expect_pair(set_up(learner, query_map, key_map)(x, x, x))
    weights = expect_tensor(weights, "attention_weights", (1, HEADS, length, length))

    figure.set_size_inches(4.4, 4.6)
    titles = ("0: the word before", "1: “it” asks who", "2: the same word", "3: nothing at all")
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    for axes, title, table in zip(panels.flat, titles, weights[0], strict=True):
        drawn = heatmap(axes, table, SENTENCE, SENTENCE)
        axes.set_title(title)
    figure.colorbar(drawn, ax=panels, location="bottom", shrink=0.5, aspect=30, label="weight")


def picture_cross_attention(learner, draw, figure):
    """Cross-attention of your layer: each French word looks for the English word that means the same

    Queries come from one sentence, keys and values from another, so the table need not be square, and the bright cells
    leave the diagonal where the order of the words differs.
    """
    french, english = ["le", "chat", "noir", "dort"], ["now", "the", "black", "cat", "sleeps"]
    meaning = dict(zip(french, ["the", "cat", "black", "sleeps"], strict=True))
    vectors = dict(zip(english, meanings(english, draw), strict=True))
    memory, x = torch.zeros(1, 5, D_MODEL), torch.zeros(1, 4, D_MODEL)
    memory[0, :, :D_K] = torch.stack([vectors[word] for word in english])
    x[0, :, :D_K] = torch.stack([vectors[meaning[word]] for word in french])

    layer = set_up(learner, 14 * torch.eye(D_MODEL), torch.eye(D_MODEL))
    _, weights = expect_pair(layer(x, memory, memory))
    weights = expect_tensor(weights, "attention_weights", (1, HEADS, 4, 5))

    figure.set_size_inches(3.6, 2.8)
    axes = figure.subplots()
    figure.colorbar(heatmap(axes, weights[0, 0], french, english), ax=axes, shrink=0.8, label="weight")
    axes.set(xlabel="key", ylabel="query")
