"""
misconception: colours_left_to_matplotlib
explanation: >-
  You leave the colours to matplotlib, which stretches them from the smallest weight of each picture to its
  largest: two heads cannot be compared, and an even one looks like a pattern.
look_at: >-
  The call that draws: it needs vmin=0 and vmax=1.
loses: [colours]
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
    im = ax.imshow(weights, cmap="viridis")
    ax.set_xticks(range(len(key_tokens)))
    ax.set_xticklabels(key_tokens, rotation=90)
    ax.set_yticks(range(len(query_tokens)))
    ax.set_yticklabels(query_tokens)
    ax.set_title(f"Head {head}")
    ax.figure.colorbar(im, ax=ax)
    return ax
