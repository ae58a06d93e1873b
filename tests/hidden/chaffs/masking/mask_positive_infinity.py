"""
misconception: mask_positive_infinity
explanation: You fill masked scores with plus infinity, so each row with a masked key becomes NaN; the sign is there twice.
look_at: The sign of infinity in your fill.
loses: [masked_weights, gradients, masked_row, mask_kinds, broadcasting, large_scores, dtypes, inputs_unchanged, device]
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
    scores = scores.masked_fill(mask == 0, -float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
