"""
Exercise: masking

Sentences of a batch have different lengths, but a tensor is a rectangle. Short sentences are therefore filled up with
padding, and nobody should attend to padding. A decoder that writes from left to right must not look ahead either: at
the time of writing, the words to the right do not exist. A mask says which pairs of query and key are allowed.

In this course a mask holds **True where a query may attend to a key** and False where it may not. (PyTorch itself uses
both polarities: `F.scaled_dot_product_attention` has this one, `nn.MultiheadAttention` the opposite.) Rows are queries,
columns are keys, and every mask broadcasts against scores of shape (batch, num_heads, seq_q, seq_k).

A mask is applied before the softmax, not after it: a score of minus infinity becomes a weight of exactly zero, and the
other weights of the row still sum to one. A score of 0 is not enough, because exp(0) is 1.

A worked example: the scores [2, 1, 3] with the mask [True, True, False]. exp(2) = 7.389 and exp(1) = 2.718 share a sum
of 10.107; the third key does not take part. The weights are [0.731, 0.269, 0].
"""

import torch
from torch import Tensor


def create_padding_mask(lengths: Tensor, max_len: int) -> Tensor:
    """
    Return the mask that hides padding: position j of sentence b is real when j < lengths[b].

    For lengths [2, 0, 3] and max_len 3 the rows are [True, True, False], [False, False, False] and [True, True, True].

    Args:
        lengths: Integer tensor (batch,), int32 or int64, on any device: how many real tokens each sentence has, from 0
            to max_len. Real tokens come first, padding last.
        max_len: Length to which all sentences were filled up; it may be more than the longest of them has.

    Returns:
        Bool tensor (batch, 1, 1, max_len) on the device of `lengths`: True on real tokens. The axes of size one
        broadcast over heads and queries.
    """
    # The positions must be made where the lengths are: arange alone would make them on the CPU.
    positions = torch.arange(max_len, device=lengths.device)  # (max_len,)
    is_real = positions < lengths.unsqueeze(1)  # (batch, 1) against (max_len,): (batch, max_len)
    # A size of one where heads and queries will be lets one row serve all of them.
    return is_real[:, None, None, :]  # (batch, 1, 1, max_len)


def create_causal_mask(seq_len: int, device: torch.device | str | None = None) -> Tensor:
    """
    Return the mask that hides the future: query i may attend to the keys 0 to i, itself included.

    For seq_len 3 the rows are [True, False, False], [True, True, False] and [True, True, True].

    Args:
        seq_len: Number of positions; any number from 1 on.
        device: Where to make the mask; None means torch's default device.

    Returns:
        Bool tensor (seq_len, seq_len): rows are queries, columns are keys, True means "may attend".

    Source: Vaswani et al. (2017, arXiv:1706.03762), section 3.2.3.
    """
    # The diagonal stays: a position may always attend to itself.
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


def combine_masks(padding_mask: Tensor, causal_mask: Tensor) -> Tensor:
    """
    Return the mask of a decoder's self-attention: a key must be real and must not lie in the future.

    For padding [True, True, False] and three positions the rows are [True, False, False], [True, True, False] and
    [True, True, False]. The last query is padding itself; its row stays as it is, since nobody reads what it finds.

    Args:
        padding_mask: Bool tensor (batch, 1, 1, seq_len), as `create_padding_mask` makes it.
        causal_mask: Bool tensor (seq_len, seq_len), as `create_causal_mask` makes it, on the same device.

    Returns:
        Bool tensor (batch, 1, seq_len, seq_len): True where both masks are. Neither argument is changed.
    """
    # Broadcasting copies the padding to every query and the triangle to every sentence. Both must allow a pair.
    return padding_mask & causal_mask  # (batch, 1, 1, seq_len) & (seq_len, seq_len)


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """
    Return attention weights: the softmax over the last axis, among the keys that the mask allows.

    - The weights of each row sum to one, and a masked key has a weight of exactly zero, whatever its score. Scores may
      be as large as 1000 in both directions (as large as 10 in half precision).
    - A row whose keys are all masked has weights of zero, never NaN, and lets no NaN into the gradient of `scores`.
    - The weights carry the gradient of the scores, keep their dtype (float16, bfloat16, float32 or float64) and their
      device. Neither argument is changed.

    Args:
        scores: Floating-point tensor (..., seq_q, seq_k), with any number of leading axes.
        mask: Tensor that broadcasts to the shape of `scores`, True (or 1) where a query may attend to a key; bool,
            integer or floating point, of zeros and ones only. None means that every key is allowed.

    Returns:
        Tensor of the shape, dtype and device of `scores`.

    Source: Vaswani et al. (2017, arXiv:1706.03762), section 3.2.3.
    """
    if mask is None:
        return scores.softmax(dim=-1)
    # One comparison serves bool, integer and floating-point masks.
    is_masked = mask == 0
    # Minus infinity is right for every dtype and for scores of any size: exp(-inf) is exactly zero.
    hidden = scores.masked_fill(is_masked, float("-inf"))
    # A row of nothing but minus infinity comes out as NaN. The second fill makes it zero, and in the backward pass both
    # fills stop the gradient at masked places, so that the NaN of such a row reaches nothing.
    return hidden.softmax(dim=-1).masked_fill(is_masked, 0.0)
