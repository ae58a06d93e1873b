"""
misconception: empty_row_nan
explanation: You look at whether the whole mask is empty, but each row can be empty by itself, and becomes NaN.
look_at: "The test for an empty mask: it should be made for each row."
loses: [masked_row]
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
    if not mask.any():
        return torch.zeros_like(scores)
    return torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
