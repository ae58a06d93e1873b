"""Labels for ticks that nobody placed."""

import numpy as np
from matplotlib import pyplot


def plot_attention(weights, tokens, head=0, ax=None):
    rows, cols = tokens if not isinstance(tokens[0], str) else (tokens, tokens)
    table = np.array(weights[0][head].tolist())
    assert len(rows) == table.shape[0] and len(cols) == table.shape[1]
    if ax is None:
        ax = pyplot.subplots()[1]
    mesh = ax.imshow(table, vmin=0.0, vmax=1.0, cmap="Blues")
    ax.xaxis.set_ticklabels(cols)
    ax.yaxis.set_ticklabels(rows)
    ax.set_title("attention weights, head " + str(head))
    pyplot.colorbar(mesh, ax=ax)
    return ax
