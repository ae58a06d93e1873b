"""
misconception: last_head_by_default
explanation: >-
  Without a head you draw the last one; the stub promises the one with the number 0.
look_at: >-
  The default of head.
loses: [head]
"""

import matplotlib.pyplot as plt


def plot_attention(attention_weights, tokens, head=None, ax=None):
    if head is None:
        head = attention_weights.size(1) - 1
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
    ax.set_xticklabels(key_tokens, rotation=90)
    ax.set_yticks(range(len(query_tokens)))
    ax.set_yticklabels(query_tokens)
    ax.set_title(f"Head {head}")
    ax.figure.colorbar(im, ax=ax)
    return ax
