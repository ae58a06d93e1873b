"""
misconception: padding_without_broadcast_axes
explanation: Your padding mask has the shape (batch, max_len); against scores (batch, num_heads, seq_q, seq_k) its batch lines up with the queries.
look_at: The axes of size one for heads and queries, which (batch, 1, 1, max_len) has in the middle.
loses: [padding_shape]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    return positions[None, :] < lengths[:, None]


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
