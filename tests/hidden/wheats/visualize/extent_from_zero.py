"""Gives the image an extent that begins at 0, so the middles of cells are halves."""

import matplotlib.pyplot as plt
from matplotlib.colors import Normalize
from matplotlib.ticker import FixedFormatter, FixedLocator


def plot_attention(attention_weights, tokens, head=0, ax=None):
    queries, keys = (tokens, tokens) if isinstance(tokens[0], str) else tokens
    table = attention_weights[0, head].detach().cpu().float()
    rows, columns = table.shape
    if rows != len(queries) or columns != len(keys):
        raise ValueError("the number of tokens is not the number of rows and columns")
    if not ax:
        ax = plt.subplot_mosaic([["heat"]])[1]["heat"]
    image = ax.imshow(table, extent=(0, columns, rows, 0), norm=Normalize(0, 1))
    for axis, names in ((ax.xaxis, keys), (ax.yaxis, queries)):
        axis.set_major_locator(FixedLocator([0.5 + i for i in range(len(names))]))
        axis.set_major_formatter(FixedFormatter(list(names)))
    ax.set_title(f"attention head {head}\n(rows: queries)")
    ax.figure.colorbar(image, ax=ax, orientation="horizontal")
    return ax
