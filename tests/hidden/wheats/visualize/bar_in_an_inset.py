"""Puts the colour bar into an inset of the heatmap's axes, and makes it from the scale instead of the image."""

import matplotlib.pyplot as plt
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize


def plot_attention(attention_weights, tokens, head=0, ax=None):
    of_queries, of_keys = (tokens, tokens) if isinstance(tokens[0], str) else tokens
    cells = attention_weights[0, head].detach().cpu().double().numpy()
    if cells.shape != (len(of_queries), len(of_keys)):
        raise ValueError("as many tokens as rows and columns, please")
    if ax is None:
        ax = plt.figure().add_subplot()
    scale = {"norm": Normalize(0, 1), "cmap": "Greens"}
    ax.imshow(cells, **scale, interpolation="nearest")
    ax.set_xticks(range(len(of_keys)), of_keys)
    ax.set_yticks(range(len(of_queries)), of_queries)
    ax.set_title(f"{head}", loc="left")
    ax.get_figure().colorbar(ScalarMappable(**scale), cax=ax.inset_axes([1.05, 0, 0.05, 1]))
    return ax
