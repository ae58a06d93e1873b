"""
misconception: four_axes_only
explanation: Your code takes scores to have exactly four axes; there may be any number of axes before the last two.
look_at: The line that unpacks the shape; count axes from the end instead.
loses: [broadcasting]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths.unsqueeze(1))[:, None, None, :]


def create_causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


def combine_masks(padding_mask, causal_mask):
    return padding_mask & causal_mask


def masked_softmax(scores, mask=None):
    batch, num_heads, seq_q, seq_k = scores.shape
    rows = scores.reshape(batch * num_heads * seq_q, seq_k)
    if mask is None:
        return torch.softmax(rows, dim=-1).reshape(scores.shape)
    blocked = (mask == 0).expand(scores.shape).reshape(rows.shape)
    weights = torch.softmax(rows.masked_fill(blocked, float("-inf")), dim=-1)
    return weights.masked_fill(blocked, 0.0).reshape(scores.shape)
