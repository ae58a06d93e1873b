"""
misconception: mask_without_effect
explanation: "Your mask has no effect: masked_fill returns a new tensor, and yours is not used."
look_at: "The line that masks the scores: what becomes of its result?"
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
        scores.masked_fill(mask == 0, float("-inf"))
    return torch.softmax(scores, dim=-1)
