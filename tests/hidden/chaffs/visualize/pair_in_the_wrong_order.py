"""
misconception: pair_in_the_wrong_order
explanation: >-
  You take the first list of a pair for the keys; it holds the tokens of the queries, which label the rows.
look_at: >-
  The order of the two names that the pair is taken apart into.
loses: [cross_attention]
"""

import matplotlib.pyplot as plt


def plot_attention(attention_weights, tokens, head=0, ax=None):
    if isinstance(tokens[0], str):
        query_tokens = key_tokens = tokens
    else:
        key_tokens, query_tokens = tokens
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
