"""
combines: [title_not_on_given_axes, labels_not_on_given_axes]
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
    plt.xticks(range(len(key_tokens)), key_tokens, rotation=90)
    plt.yticks(range(len(query_tokens)), query_tokens)
    plt.title(f"Head {head}")
    ax.figure.colorbar(im, ax=ax)
    return ax
