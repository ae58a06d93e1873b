"""Talks to pyplot alone, after making the wanted axes the current ones."""

import matplotlib.pyplot as plt
import numpy as np


def plot_attention(attention_weights, tokens, head=0, ax=None):
    if ax is None:
        plt.figure()
        ax = plt.gca()
    plt.figure(ax.figure.number)
    plt.sca(ax)
    pair = tokens if not isinstance(tokens[0], str) else (tokens,) * 2
    table = np.asarray(attention_weights.detach()[0, head].cpu().double())
    for number, names in zip(table.shape, pair):
        if number != len(names):
            raise IndexError("the tokens do not fit")
    plt.imshow(table, cmap="magma", aspect="auto")
    plt.clim(0, 1)
    plt.colorbar()
    plt.sca(ax)
    plt.xticks(np.arange(table.shape[1]), pair[1], rotation="vertical")
    plt.yticks(np.arange(table.shape[0]), pair[0])
    plt.xlabel("keys (attended to)")
    plt.ylabel("queries")
    plt.title("Attention of head no. %d" % head, fontsize=9)
    return plt.gca()
