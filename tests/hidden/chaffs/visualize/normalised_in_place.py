"""
misconception: normalised_in_place
explanation: >-
  You divide the weights by their maximum in place: the heatmap no longer shows them, and the caller's tensor is
  changed with it, since a slice shares its memory.
look_at: >-
  Operators such as /= and methods with a trailing underscore on what you took out of the tensor.
loses: [cells, traces]
"""

import matplotlib.pyplot as plt


def plot_attention(attention_weights, tokens, head=0, ax=None):
    if isinstance(tokens[0], str):
        query_tokens = key_tokens = tokens
    else:
        query_tokens, key_tokens = tokens
    weights = attention_weights[0, head].detach()
    weights /= weights.max()
    weights = weights.cpu().float().numpy()
    if weights.shape != (len(query_tokens), len(key_tokens)):
        raise ValueError("tokens do not fit the weights")
    if ax is None:
        fig, ax = plt.subplots()
    im = ax.imshow(weights, cmap="viridis", vmin=0, vmax=1)
    ax.set_xticks(range(len(key_tokens)))
    ax.set_xticklabels(key_tokens, rotation=90)
    ax.set_yticks(range(len(query_tokens)))
    ax.set_yticklabels(query_tokens)
    ax.set_title(f"Head {head}")
    ax.figure.colorbar(im, ax=ax)
    return ax
