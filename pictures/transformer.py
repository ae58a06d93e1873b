"""Pictures: transformer"""

import torch

from grader.suite import expect_tensor
from grader.suite.sketch import heatmap

SENTENCE = ["we", "read", "a", "long", "sad", "story"]
D_MODEL, HEADS, D_FF = 16, 2, 32
DEPTH = 12


def filled(module, draw, gain):
    """The block in evaluation mode, with norms that only normalise; weights with a gain of 1 keep the variance."""
    values = {}
    for name, parameter in module.eval().parameters().items():
        scale = "norm" in name and name.endswith("weight")
        start = torch.ones(parameter.shape) if scale else torch.zeros(parameter.shape)
        values[name] = gain * draw.normal(*parameter.shape) / D_MODEL**0.5 if len(parameter.shape) > 1 else start
    return module.load(values)


def picture_who_changes_whom(learner, draw, figure):
    """Which token changes which, through a whole block of yours

    One token of the input is changed at a time, and what comes out is compared. In the encoder each token changes all.
    In the decoder, under a causal mask, a token changes itself and what comes after it, and the corner above the
    diagonal stays dark. Each row is divided by its largest change.
    """
    length = len(SENTENCE)
    x, memory = draw.normal(1, length, D_MODEL), draw.normal(1, 4, D_MODEL)
    changed = x.expand(length, -1, -1).clone()
    changed[range(length), range(length)] = draw.normal(length, D_MODEL)
    everything = torch.cat([x, changed])  # unchanged, and with each token changed in turn
    encoder = filled(learner.EncoderBlock(D_MODEL, HEADS, D_FF), draw, 1.4)
    decoder = filled(learner.DecoderBlock(D_MODEL, HEADS, D_FF), draw, 1.4)
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    outputs = {
        "encoder": encoder(everything),
        "decoder": decoder(everything, memory.expand(length + 1, -1, -1), causal),
    }

    figure.set_size_inches(5.4, 3.2)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (title, output) in zip(panels, outputs.items(), strict=True):
        output = expect_tensor(output, f"the output of the {title} block", everything.shape)
        change = (output[1:] - output[0]).norm(dim=-1).T  # of each token of the output, by each of the input
        drawn = heatmap(axes, change / change.amax(dim=1, keepdim=True).clamp_min(1e-12), SENTENCE, SENTENCE)
        axes.set_title(title)
        axes.set_xlabel("token that was changed")
    panels[0].set_ylabel("token that comes out")
    figure.colorbar(drawn, ax=panels, shrink=0.7, label="change")


def picture_block_on_block(learner, draw, figure):
    """What is left of a token under twelve of your encoder blocks

    The line of dots says how alike a token and what became of it still are, as the cosine between the two. Residual
    connections let it fade block by block; without them nothing would be left after the first. The dashed line is the
    spread of a token's numbers. Norms keep it at 1, however many blocks there are.
    """
    x = draw.normal(1, 24, D_MODEL)
    x = (x - x.mean(dim=-1, keepdim=True)) / x.std(dim=-1, keepdim=True, correction=0)
    blocks = [filled(learner.EncoderBlock(D_MODEL, HEADS, D_FF), draw, 0.6) for _ in range(DEPTH)]
    states = [x]
    for block in blocks:
        states.append(expect_tensor(block(states[-1]), "the output of a block", x.shape))

    depth = range(DEPTH + 1)
    axes = figure.subplots()
    alike = [float(torch.cosine_similarity(state, x, dim=-1).mean()) for state in states]
    spread = [float(state.std(dim=-1, correction=0).mean()) for state in states]
    axes.plot(depth, alike, "o-", color="C0", label="likeness to what went in")
    axes.plot(depth, spread, "s--", color="C1", markersize=4, label="spread of its numbers")
    axes.set_ylim(bottom=min(0, *alike))
    axes.set(xlabel="blocks", ylabel="mean over the tokens")
    axes.grid(visible=True)
    axes.legend()
