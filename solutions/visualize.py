"""
Exercise: visualize

Attention can be looked at. The weights of one head are a table: a row for each query, a column for each key, and in
each cell how much of that key's value the query takes. Drawn as a heatmap, with the tokens beside it, the table shows
at a glance who looks at whom: which noun a pronoun means, that every token looks at the one before it, that a causal
mask leaves the upper right empty. Bahdanau et al. (2014) drew their first attention so and saw words change places
between English and French (section 5.2.1, figure 3); Vaswani et al. (2017) close with such pictures of single heads.

What is drawn is A[0, head], and nothing else: image[i, j] = A[0, head, i, j], and each row i sums to 1.

Conventions of this exercise:

- attention_weights is a tensor (batch, num_heads, seq_q, seq_k), as multi-head attention returns it. The first sample
  of the batch is drawn, and the head with the number `head`, counted from 0. The tensor comes straight from a model: it
  may require a gradient, be half, bfloat16 or double, and lie on an accelerator. It is left unchanged.
- Queries run down, keys across, one cell for each weight: the first query is the topmost row, the first key the
  leftmost column. The cells hold the weights themselves, and all of them are in view, each of them whole and in one
  colour.
- tokens is a list of strings, one for each position, for both axes. For cross-attention, where queries and keys are
  two sequences, it is a pair (query_tokens, key_tokens) of two such lists. Token i is the tick label of row i, token j
  that of column j, in the middle of the cell. Tokens may occur twice and be in any script (a font without their letters
  draws boxes: that is the font's business, and the labels are right all the same).
- Tokens that are more or fewer than the rows and columns raise an exception of any kind: every label would be doubtful.
- The colours run from 0 to 1, so that two heads can be compared and a head that spreads evenly looks even.
- A colour bar says which colour is which weight, and the title of the axes names the head by its number: "Head 0".
- With ax, the heatmap is drawn there and nowhere else (the colour bar may take its room from ax), with labels, title
  and colour bar as ever. Without it, a new figure is made.
- The Axes of the heatmap is returned. The figure is neither shown nor closed nor saved: that is for the caller, who may
  want to draw more; plt.show() would keep a program waiting until somebody closes the window.

ax.imshow, ax.matshow, ax.pcolormesh and seaborn.heatmap all do. Axis labels, colours, sizes and the title's other words
are yours to choose. Your code is checked on a machine without a display.

Worked example: d_k = 2, three tokens, a causal mask. With the queries cat = [0, 0], saw = [0, 0], it = [0.98, 0] (0.98
is √2 · ln 2) and the keys cat = [1, 0], saw = [0, 0], it = [0, 0], the scaled scores of "it" are [0.69, 0, 0], their
exponentials [2, 1, 1], and the weights of this head and the heatmap that belongs to them::

            cat    saw    it                       cat   saw   it
    cat  [[1.00,  0.00,  0.00],             cat    ███
    saw   [0.50,  0.50,  0.00],             saw    ▒▒▒   ▒▒▒
    it    [0.50,  0.25,  0.25]]             it     ▒▒▒   ░░░   ░░░

    Read a row: "it" takes half of what it gets from "cat". Columns need not sum to anything.

Sources: Bahdanau et al. (2014, arXiv:1409.0473), section 5.2.1;
Vaswani et al. (2017, arXiv:1706.03762), "Attention Visualizations".
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import torch
from matplotlib.axes import Axes


def plot_attention(
    attention_weights: torch.Tensor,
    tokens: Sequence[str] | tuple[Sequence[str], Sequence[str]],
    head: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the weights of one head as a heatmap: queries down, keys across.

    Args:
        attention_weights: Tensor (batch, num_heads, seq_q, seq_k); the first sample is drawn.
        tokens: Strings, one for each position; or a pair (query_tokens, key_tokens) for cross-attention.
        head: Number of the head, counted from 0.
        ax: Where to draw; None makes a new figure.

    Returns:
        The Axes of the heatmap, with a label for each token, a title that names the head, and a colour bar.

    Source: Bahdanau et al. (2014), figure 3.
    """
    # A pair holds two lists; a sentence holds strings, and two of them are still a sentence.
    is_pair = not isinstance(tokens[0], str)
    query_tokens, key_tokens = tokens if is_pair else (tokens, tokens)
    # Out of the graph and onto the CPU, where matplotlib reads; NumPy knows no bfloat16.
    weights = attention_weights[0, head].detach().cpu().float().numpy()  # (seq_q, seq_k)
    if weights.shape != (len(query_tokens), len(key_tokens)):
        raise ValueError(
            f"{len(query_tokens)} and {len(key_tokens)} tokens do not label {weights.shape} queries and keys"
        )
    if ax is None:
        _, ax = plt.subplots()
    # imshow puts row 0 at the top, which is where reading begins. One scale of colours for all heads.
    image = ax.imshow(weights, vmin=0, vmax=1)
    # Places and labels together: labels alone would hang on whatever ticks matplotlib has chosen.
    ax.set_xticks(range(len(key_tokens)), labels=key_tokens, rotation=90)
    ax.set_yticks(range(len(query_tokens)), labels=query_tokens)
    ax.set_xlabel("key")
    ax.set_ylabel("query")
    ax.set_title(f"Head {head}")
    # The figure of these axes, which need not be the current one.
    ax.figure.colorbar(image, ax=ax)
    return ax
