"""
misconception: words_for_positions
explanation: >-
  You look positions up by word, so a word that occurs twice keeps only its last place.
look_at: >-
  The dictionary or set that tokens go through: positions are what is labelled.
loses: [any_tokens]
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
    across = {token: i for i, token in enumerate(key_tokens)}
    down = {token: i for i, token in enumerate(query_tokens)}
    ax.set_xticks(list(across.values()), labels=list(across))
    ax.set_yticks(list(down.values()), labels=list(down))
    ax.set_title(f"Head {head}")
    ax.figure.colorbar(im, ax=ax)
    return ax
