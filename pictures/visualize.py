"""Pictures: visualize"""

import torch

from grader.suite import expect_picture
from grader.suite.sketch import redraw

SENTENCE = ["The", "animal", "left", "the", "street", "because", "it", "was", "tired"]
LOOKS_AT = {"animal": "The", "left": "animal", "street": "the", "it": "animal", "was": "it", "tired": "animal"}


def picture_your_heatmap(learner, figure):
    """The heatmap that your code draws

    Made for this picture: "it" takes most from "animal". Drawn once more from what your Axes hold: image, labels,
    limits, title and colour bar.
    """
    weights = torch.full((1, 2, 9, 9), 0.03)
    for row, word in enumerate(SENTENCE):
        weights[:, :, row, SENTENCE.index(LOOKS_AT.get(word, word))] = 0.76

    drawn, _ = expect_picture(learner.plot_attention.picture(weights, SENTENCE, 1), "The heatmap")

    figure.set_size_inches(4.4, 3.6)
    redraw(figure.subplots(), drawn)


def picture_words_that_change_places(learner, figure):
    """The heatmap of a cross-attention, with a pair of lists as tokens

    Most words of the two languages keep their order; an adjective and its noun change places.
    """
    english, french = ["the", "black", "cat", "sleeps"], ["le", "chat", "noir", "dort", "."]
    weights = torch.full((1, 1, 5, 4), 0.05)
    for row, column in enumerate((0, 2, 1, 3)):
        weights[0, 0, row, column] = 0.85
    weights[0, 0, 4] = 0.25

    drawn, _ = expect_picture(learner.plot_attention.picture(weights, (french, english), 0), "The heatmap")

    figure.set_size_inches(3.6, 3.2)
    redraw(figure.subplots(), drawn)
