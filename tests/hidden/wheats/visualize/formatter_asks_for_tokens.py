"""Leaves the labels to a function that is asked for each place."""

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, MultipleLocator


def plot_attention(attention_weights, tokens, head=0, ax=None):
    pair = (tokens, tokens) if isinstance(tokens[0], str) else tokens
    table = attention_weights[0, head].detach().cpu().float().numpy()
    assert table.shape == tuple(map(len, pair))
    if ax is None:
        figure = plt.figure(dpi=150)
        ax = figure.add_axes((0.2, 0.1, 0.6, 0.6))
    image = ax.imshow(table, vmax=1.0, vmin=0.0)
    for axis, names in zip((ax.yaxis, ax.xaxis), pair):
        axis.set_major_locator(MultipleLocator(1))
        axis.set_major_formatter(FuncFormatter(lambda x, _, names=names: names[round(x)] if 0 <= x < len(names) else ""))
    ax.tick_params(axis="x", rotation=90, bottom=False, labelbottom=False, top=True, labeltop=True)
    ax.set_title(f"Head {head}")
    ax.figure.colorbar(image, ax=[ax])
    return ax
