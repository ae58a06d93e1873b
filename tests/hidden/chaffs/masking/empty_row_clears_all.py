"""
misconception: empty_row_clears_all
explanation: One row without a key makes your code return zeros for all rows; only that row should be zero.
look_at: "The test for NaN: what it looks at, and what it replaces."
loses: [masked_row, gradients, inputs_unchanged]
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
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    if weights.isnan().any():
        return torch.zeros_like(weights) * scores
    return weights
