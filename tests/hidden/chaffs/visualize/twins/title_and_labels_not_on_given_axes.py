"""The same mistake as title_and_labels_not_on_given_axes, written by somebody else."""

import numpy as np
from matplotlib import pyplot


def plot_attention(weights, tokens, head=0, ax=None):
    rows, cols = tokens if not isinstance(tokens[0], str) else (tokens, tokens)
    table = np.array(weights[0][head].tolist())
    assert len(rows) == table.shape[0] and len(cols) == table.shape[1]
    own = ax is None
    if own:
        ax = pyplot.figure(figsize=(5, 4)).add_subplot()
    mesh = ax.pcolormesh(table, vmin=0.0, vmax=1.0, cmap="Blues")
    ax.invert_yaxis()
    if own:
        ax.set_xticks(np.arange(len(cols)) + 0.5, labels=cols)
        ax.set_yticks(np.arange(len(rows)) + 0.5, labels=rows)
        ax.set_title("attention weights, head " + str(head))
    pyplot.colorbar(mesh, ax=ax)
    return ax
