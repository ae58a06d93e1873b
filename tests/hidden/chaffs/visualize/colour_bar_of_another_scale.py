"""
misconception: colour_bar_of_another_scale
explanation: >-
  The colour bar is made of a scale of its own, so it says another weight for a colour than the heatmap means by
  it.
look_at: >-
  The call of colorbar: hand it what imshow or pcolormesh returned.
loses: [colour_bar]
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
    ax.set_xticklabels(key_tokens, rotation=90)
    ax.set_yticks(range(len(query_tokens)))
    ax.set_yticklabels(query_tokens)
    ax.set_title(f"Head {head}")
    scale = plt.cm.ScalarMappable(norm=plt.Normalize(weights.min(), weights.max()), cmap="viridis")
    ax.figure.colorbar(scale, ax=ax)
    return ax
