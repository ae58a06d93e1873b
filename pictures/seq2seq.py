"""Pictures: seq2seq"""

from grader.suite.sketch import heatmap


def picture_bottleneck_and_cure(learner, draw, figure, suite):
    """Writing sequences backwards, with one fixed vector and with your attention

    Both decoders were trained for the same moment. With one vector for the whole sequence, the share of right tokens
    falls with the length; with your attention it does not. The weights below show why: to write backwards, each step
    looks at one token, the last one first.
    """
    shares, weights = suite.train_to_reverse(learner, draw)

    figure.set_size_inches(4.4, 5.6)
    above, below = figure.subplots(2, 1)
    lengths = sorted(shares)
    above.plot(lengths, [100 * shares[length] for length in lengths], "o-", color="C0", label="with your attention")
    above.plot(
        list(suite.BOTTLENECK),
        [100 * share for share in suite.BOTTLENECK.values()],
        "o--",
        color="C1",
        label="with one fixed vector",
    )
    above.set_ylim(0, 105)
    above.set(xlabel="length of the sequence", ylabel="right tokens, in %")
    above.grid(visible=True)
    above.legend(loc="lower left")
    steps, tokens = weights.shape
    drawn = heatmap(
        below, weights, [str(step + 1) for step in range(steps)], [str(place + 1) for place in range(tokens)]
    )
    below.set(xlabel="token that is looked at", ylabel="step")
    figure.colorbar(drawn, ax=below, shrink=0.8, label="weight")
