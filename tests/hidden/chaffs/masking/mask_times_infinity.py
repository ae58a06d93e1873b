"""
misconception: mask_times_infinity
explanation: "You multiply the mask by minus infinity: 0 times infinity is NaN, so the allowed keys become NaN."
look_at: The product with minus infinity; masked_fill and torch.where choose instead of multiplying.
loses: [masked_weights, masked_row, gradients, mask_kinds, broadcasting, large_scores, dtypes, inputs_unchanged, device]
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
        scores = scores + (1 - mask.to(scores.dtype)) * float("-inf")
    return torch.softmax(scores, dim=-1)
