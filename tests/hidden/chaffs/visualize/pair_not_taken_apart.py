"""
misconception: pair_not_taken_apart
explanation: >-
  A pair of lists is treated like one list of tokens, so cross-attention, whose queries and keys are two
  sequences, cannot be drawn.
look_at: >-
  The first line: if the first entry of tokens is no string, tokens is (query_tokens, key_tokens).
loses: [cross_attention]
"""

import matplotlib.pyplot as plt


def plot_attention(attention_weights, tokens, head=0, ax=None):
    query_tokens = key_tokens = list(tokens)
    weights = attention_weights[0, head].detach().cpu().float().numpy()
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
