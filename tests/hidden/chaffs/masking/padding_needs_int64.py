"""
misconception: padding_needs_int64
explanation: Your padding mask goes through an operation that takes int64 only; lengths may be int32 too.
look_at: "one_hot and indexing want int64: convert the lengths, or compare positions with lengths."
loses: [padding_lengths]
"""

import torch
import torch.nn.functional as F


def create_padding_mask(lengths, max_len):
    ends = F.one_hot(lengths, max_len + 1)
    is_padding = ends.cumsum(dim=1)[:, :max_len]
    return (is_padding == 0)[:, None, None, :]


def create_causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


def combine_masks(padding_mask, causal_mask):
    return padding_mask & causal_mask


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
