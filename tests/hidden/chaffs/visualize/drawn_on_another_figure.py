"""
misconception: drawn_on_another_figure
explanation: >-
  The heatmap is on another figure than the axes that you return: `plt.matshow` opens a figure of its own, as a
  second `plt.subplots` does, and the axes with your labels and title stay empty.
look_at: >-
  Draw with a method of the axes that you return, ax.imshow.
loses: [cells, head, orientation, tokens, any_tokens, cross_attention, refuses, colours, colour_bar, title, view, axes, returns, traces, from_a_model, precision_and_device]
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
    im = plt.matshow(weights, cmap="viridis", vmin=0, vmax=1)
    ax.set_xticks(range(len(key_tokens)))
    ax.set_xticklabels(key_tokens, rotation=90)
    ax.set_yticks(range(len(query_tokens)))
    ax.set_yticklabels(query_tokens)
    ax.set_title(f"Head {head}")
    ax.figure.colorbar(im, ax=ax)
    return ax
