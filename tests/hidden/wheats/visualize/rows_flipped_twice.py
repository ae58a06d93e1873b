"""Flips the rows of the table and begins at the bottom, which comes to the same."""

import matplotlib.pyplot as plt


def plot_attention(attention_weights, tokens, head=0, ax=None):
    query_tokens, key_tokens = tokens if isinstance(tokens[0], (list, tuple)) else (tokens, tokens)
    flipped = attention_weights[0, head].detach().flip(0).tolist()
    if len(flipped) != len(query_tokens) or len(flipped[0]) != len(key_tokens):
        raise ValueError("wrong number of tokens")
    if ax is None:
        ax = plt.figure().subplots()
    image = ax.imshow(flipped, origin="lower", interpolation="nearest", vmin=0, vmax=1)
    ax.set_yticks(range(len(flipped)))
    ax.set_yticklabels(list(query_tokens)[::-1])
    ax.set_xticks(range(len(flipped[0])))
    ax.set_xticklabels(list(key_tokens), ha="right", rotation=45)
    ax.set_title("Head {}".format(head))
    plt.colorbar(image, ax=ax)
    return ax
