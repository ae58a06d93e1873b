"""
misconception: letters_beyond_ascii_dropped
explanation: >-
  You drop every letter that is not ASCII; tokens of other scripts become empty labels.
look_at: >-
  What the tokens go through before they become labels: they are fine as they are.
loses: [any_tokens]
"""

import matplotlib.pyplot as plt


def plot_attention(attention_weights, tokens, head=0, ax=None):
    if isinstance(tokens[0], str):
        query_tokens = key_tokens = tokens
    else:
        query_tokens, key_tokens = tokens
    query_tokens = [t.encode('ascii', 'ignore').decode() for t in query_tokens]
    key_tokens = [t.encode('ascii', 'ignore').decode() for t in key_tokens]
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
