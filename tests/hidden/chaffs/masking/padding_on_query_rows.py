"""
misconception: padding_on_query_rows
explanation: Your padding mask has the shape (batch, 1, max_len, 1), so it hides padded queries; the keys are the last axis.
look_at: "Where the axes of size one are put in: they belong before the last axis."
loses: [padding_shape]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    mask = positions < lengths.unsqueeze(1)
    return mask.unsqueeze(1).unsqueeze(3)


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
