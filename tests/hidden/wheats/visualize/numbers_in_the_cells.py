"""Writes each weight into its cell, draws lines between cells, and leaves room around them."""

import matplotlib.pyplot as plt
import numpy as np


def plot_attention(attention_weights, tokens, head=0, ax=None):
    rows, columns = (tokens, tokens) if isinstance(tokens[0], str) else tokens
    table = np.asarray(attention_weights[0, head].detach().cpu().float())
    if table.shape != (len(rows), len(columns)):
        raise ValueError(f"expected {table.shape} tokens")
    if ax is None:
        _, ax = plt.subplots(1, 1, figsize=(8, 8))
    image = ax.pcolor(table, vmin=0, vmax=1, cmap="YlGn", edgecolors="white")
    for (i, j), weight in np.ndenumerate(table):
        ax.text(j + 0.5, i + 0.5, f"{weight:.2f}", ha="center", va="center", fontsize=6)
    ax.set_xlim(-0.1, len(columns) + 0.1)
    ax.set_ylim(len(rows) + 0.1, -0.1)
    ax.set_xticks(np.arange(len(columns)) + 0.5, columns)
    ax.set_yticks(np.arange(len(rows)) + 0.5, rows)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.set_title(f"Head {head} of {attention_weights.shape[1]}")
    cbar = ax.figure.colorbar(image, ax=ax, ticks=[0, 0.5, 1])
    cbar.outline.set_visible(False)
    return ax
