"""
misconception: fill_too_large_for_half
explanation: "You fill masked scores with a number that float16 cannot hold (like -1e9): its most negative number is -65504."
look_at: The number that you fill masked scores with; minus infinity exists in every dtype.
loses: [dtypes]
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
    weights = torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
