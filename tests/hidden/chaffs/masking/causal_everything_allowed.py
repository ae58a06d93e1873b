"""
misconception: causal_everything_allowed
explanation: Your causal mask allows every pair; tril returns a new tensor, and yours is not used.
look_at: "The line that takes the triangle: what becomes of its result?"
loses: [causal_values, causal_form, device]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths.unsqueeze(1))[:, None, None, :]


def create_causal_mask(seq_len, device=None):
    mask = torch.ones(seq_len, seq_len, dtype=torch.bool, device=device)
    mask.tril()
    return mask


def combine_masks(padding_mask, causal_mask):
    return padding_mask & causal_mask


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
