"""
Exercise: heads

A single attention gives each token one average over the others. Several heads look for several things at once, and
they cost no parameters: the d_model features of each token are projected once, in one large projection, and then cut
into num_heads parts of d_k = d_model / num_heads features. Each head attends with its own part, and afterwards the
parts are laid side by side again. With d_model = 512 and 8 heads each head works on 64 features.

Cutting moves numbers between axes, never between tokens: what a head holds at position t comes from token t alone.
Reading the same memory under another shape (``view`` or ``reshape`` by itself) renames places; it cannot move an axis.

Conventions of this exercise:

- Outside the heads a tensor is (batch, seq_len, d_model); inside it is (batch, num_heads, seq_len, d_k). The batch
  comes first in both.
- Head i owns the contiguous features i * d_k up to, not including, (i + 1) * d_k.
- Both functions keep the dtype and the device of their input, let gradients through and leave the input unchanged. They
  work for every size, 1 included, and for any memory layout (a transposed tensor, say).

Worked example: one sentence of 3 tokens, d_model = 4, num_heads = 2, so d_k = 2::

    x[0]                            split_heads(x, 2)[0]
      token 0: [ 1,  2,  3,  4]       head 0: [[ 1,  2], [ 5,  6], [ 9, 10]]
      token 1: [ 5,  6,  7,  8]       head 1: [[ 3,  4], [ 7,  8], [11, 12]]
      token 2: [ 9, 10, 11, 12]

    merge_heads(split_heads(x, 2)) is x again.

Source: Vaswani et al. (2017, arXiv:1706.03762), section 3.2.2.
"""

from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """
    Cut the features of each token into one part per head.

    Args:
        x: Tensor (batch, seq_len, d_model).
        num_heads: Number of heads; must divide d_model.

    Returns:
        Tensor (batch, num_heads, seq_len, d_k) with d_k = d_model / num_heads: entry [b, i, t, j] is
        x[b, t, i * d_k + j].

    Raises:
        Any exception if d_model is not divisible by num_heads: no feature may be dropped in silence.

    Source: Vaswani et al. (2017), section 3.2.2.
    """
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError(f"d_model = {d_model} is not divisible by num_heads = {num_heads}")
    # Cutting the last axis keeps each token's features together, so head i gets the contiguous part i.
    x = x.reshape(batch, seq_len, num_heads, d_model // num_heads)  # (batch, seq_len, num_heads, d_k)
    # Moving an axis is a transpose: a reshape to the final shape would deal out features of other tokens.
    return x.transpose(1, 2)  # (batch, num_heads, seq_len, d_k)


def merge_heads(x: Tensor) -> Tensor:
    """
    Lay the heads' features side by side again: the inverse of split_heads.

    Args:
        x: Tensor (batch, num_heads, seq_len, d_k).

    Returns:
        Tensor (batch, seq_len, d_model) with d_model = num_heads * d_k: entry [b, t, i * d_k + j] is
        x[b, i, t, j].

    Source: Vaswani et al. (2017), section 3.2.2 ("Concat").
    """
    batch, num_heads, seq_len, d_k = x.shape
    # First bring the parts of one token next to each other, in the order of the heads.
    x = x.transpose(1, 2)  # (batch, seq_len, num_heads, d_k)
    # A transposed tensor is not contiguous, so `view` would refuse; `reshape` copies where it must.
    return x.reshape(batch, seq_len, num_heads * d_k)  # (batch, seq_len, d_model)
