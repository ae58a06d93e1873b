"""Makes its figure without pyplot, which then knows nothing of it."""

import numpy
from matplotlib.figure import Figure


def plot_attention(attention_weights, tokens, head=0, ax=None):
    labels = (tokens, tokens) if isinstance(tokens[0], str) else tokens
    table = numpy.array(attention_weights.detach().cpu().float()[0, head])
    if [len(names) for names in labels] != list(table.shape):
        raise ValueError("tokens")
    ax = Figure().add_subplot() if ax is None else ax
    image = ax.imshow(table, clim=(0, 1))
    for axis, names in ((ax.yaxis, labels[0]), (ax.xaxis, labels[1])):
        axis.set_ticks(list(range(len(names))), labels=names)
    ax.set_title(f"Layer 3, head {head}")
    ax.figure.colorbar(image)
    return ax
