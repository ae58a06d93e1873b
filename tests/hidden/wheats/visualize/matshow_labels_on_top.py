"""Uses matshow, which writes the keys above the table, and leaves them there."""

import matplotlib.pyplot as plt


def plot_attention(attention_weights, tokens, head=0, ax=None):
    rows, columns = (tokens, tokens) if isinstance(tokens[0], str) else tokens
    weights = attention_weights[0][head].cpu().to(dtype=__import__("torch").float32).detach().numpy()
    assert weights.shape == (len(rows), len(columns)), "one token for each row and each column"
    axes = ax or plt.subplots(figsize=(3, 3), layout="constrained")[1]
    drawn = axes.matshow(weights, vmin=0, vmax=1, cmap="gray")
    axes.set(xticks=range(len(columns)), yticks=range(len(rows)), xticklabels=columns, yticklabels=rows)
    axes.set_title(f"head = {head}", loc="left")
    axes.get_figure().colorbar(drawn, ax=axes, shrink=0.8, label="weight")
    return axes
