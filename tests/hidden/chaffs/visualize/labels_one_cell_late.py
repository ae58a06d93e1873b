"""
misconception: labels_one_cell_late
explanation: >-
  Your labels begin with an empty one, as code does that gives labels without places; here every token stands
  one cell too late.
look_at: >-
  The labels: one for each place, and no empty one before them.
loses: [tokens, any_tokens, cross_attention]
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
    ax.set_xticks(range(len(key_tokens)))
    ax.set_xticklabels(['', *key_tokens][: len(key_tokens)], rotation=90)
    ax.set_yticks(range(len(query_tokens)))
    ax.set_yticklabels(['', *query_tokens][: len(query_tokens)])
    ax.set_title(f"Head {head}")
    ax.figure.colorbar(im, ax=ax)
    return ax
