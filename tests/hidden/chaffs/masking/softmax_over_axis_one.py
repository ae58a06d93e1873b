"""
misconception: softmax_over_axis_one
explanation: Your softmax runs over axis 1, which are the heads here, so heads compete with each other; softmax without dim picks that axis as well.
look_at: "The axis of the softmax: say dim=-1, whatever comes before."
loses: [softmax_values, masked_weights, broadcasting]
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
        return torch.softmax(scores, dim=1)
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    return weights.masked_fill(mask == 0, 0.0)
