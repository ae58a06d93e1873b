"""
misconception: mask_fills_with_zero
explanation: You give masked keys a score of 0 (or next to 0, like 1e-9), but exp(0) is 1, so they still get attention; a score of minus infinity gives exactly none.
look_at: The number that you fill masked scores with, and its sign.
loses: [masked_weights, masked_row, large_scores]
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
    if mask is not None:
        scores = scores.masked_fill(mask == 0, 0.0)
    return torch.softmax(scores, dim=-1)
