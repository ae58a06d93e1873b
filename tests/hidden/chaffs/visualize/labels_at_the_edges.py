"""
misconception: labels_at_the_edges
explanation: >-
  Your labels stand at the edges between cells, half a cell away from what they name.
look_at: >-
  The places of the ticks: the middle of cell i is i with imshow, and i + 0.5 with pcolormesh.
loses: [tokens]
"""

import matplotlib.pyplot as plt


def plot_attention(attention_weights, tokens, head=0, ax=None):
    if isinstance(tokens[0], str):
        query_tokens = key_tokens = tokens
    else:
        query_tokens, key_tokens = tokens
    weights = attention_weights[0, head].detach().cpu().float().numpy()
    if weights.shape != (len(query_tokens), len(key_tokens)):
        raise ValueError("tokens do not fit the weights")
    if ax is None:
        fig, ax = plt.subplots()
    im = ax.imshow(weights, cmap="viridis", vmin=0, vmax=1)
    ax.set_xticks([i - 0.5 for i in range(len(key_tokens))])
    ax.set_xticklabels(key_tokens, rotation=90)
    ax.set_yticks([i - 0.5 for i in range(len(query_tokens))])
    ax.set_yticklabels(query_tokens)
    ax.set_title(f"Head {head}")
    ax.figure.colorbar(im, ax=ax)
    return ax
