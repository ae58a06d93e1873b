"""Pictures: positional"""

import torch

from grader.suite import expect_tensor
from grader.suite.sketch import heatmap


def encoding_of(learner, max_len, d_model):
    """The learner's encoding, (max_len, d_model)."""
    return expect_tensor(learner.sinusoidal_encoding(max_len, d_model), "the encoding", (max_len, d_model))


def picture_encoding(learner, figure):
    """Your positional encoding of 50 positions with 64 features

    A row is what is added to the token at that place. On the left the waves are short and tell neighbours apart, on the
    right they are long and tell the beginning from the end.
    """
    encoding = encoding_of(learner, 50, 64)

    axes = figure.subplots()
    drawn = heatmap(axes, encoding, limits=(-1, 1), colours="coolwarm", square=False)
    axes.set_xticks(range(0, 64, 8), labels=[str(column) for column in range(0, 64, 8)], rotation=0)
    axes.set_yticks(range(0, 50, 10), labels=[str(place) for place in range(0, 50, 10)])
    axes.set(xlabel="column", ylabel="position")
    figure.colorbar(drawn, ax=axes)


def picture_waves(learner, figure):
    """Four columns of your encoding

    Every pair of columns is the sine and cosine of one wave; later pairs swing more slowly.
    """
    encoding = encoding_of(learner, 60, 64)

    axes = figure.subplots()
    for number, column in enumerate((0, 8, 16, 24)):
        axes.plot(encoding[:, column].numpy(), color=f"C{number}", linewidth=1.4, label=f"column {column}")
    axes.set_ylim(-1.1, 1.1)
    axes.set(xlabel="position", ylabel="value")
    figure.legend(loc="outside upper center", ncols=4, columnspacing=1, handlelength=1.2)


def picture_distance(learner, figure):
    """How alike the codes of two positions are, by the distance between them

    The dot product of a position with its neighbours, for three positions. The curves lie on one another: likeness
    depends on the distance alone, wherever you are, and it falls on both sides alike.
    """
    encoding = encoding_of(learner, 128, 64).double()
    distances = torch.arange(-24, 25)

    axes = figure.subplots()
    for number, (place, style) in enumerate(zip((30, 60, 90), ("-", "o", "x"), strict=True)):
        alike = encoding[place + distances] @ encoding[place]
        every = slice(number, None, 4) if number else slice(None)  # marks in turn, so that none hides another
        axes.plot(distances[every], alike[every], style, color=f"C{number}", label=f"position {place}")
    axes.set(xlabel="distance", ylabel="dot product")
    axes.grid(visible=True)
    axes.legend()
