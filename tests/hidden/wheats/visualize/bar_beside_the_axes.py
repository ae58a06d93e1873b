"""Puts the colour bar into axes of its own, cut off from the heatmap's."""

import matplotlib.pyplot as plt
from mpl_toolkits.axes_grid1 import make_axes_locatable


def plot_attention(attention_weights, tokens, head=0, ax=None):
    if isinstance(tokens, tuple) and not isinstance(tokens[0], str):
        names = {"y": tokens[0], "x": tokens[1]}
    else:
        names = {"y": tokens, "x": tokens}
    sample = attention_weights[0].detach().to("cpu").float()
    if sample.shape[1:] != (len(names["y"]), len(names["x"])):
        raise ValueError("tokens")
    ax = plt.figure().gca() if ax is None else ax
    image = ax.imshow(sample[head].numpy(), vmin=0, vmax=1)
    cax = make_axes_locatable(ax).append_axes("right", size="5%", pad=0.1)
    ax.figure.colorbar(image, cax=cax)
    getattr(ax, "set_xticks")(list(range(len(names["x"]))), list(names["x"]))
    getattr(ax, "set_yticks")(list(range(len(names["y"]))), list(names["y"]))
    ax.set_title(str(head))
    return ax
