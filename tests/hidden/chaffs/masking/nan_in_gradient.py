"""
misconception: nan_in_gradient
explanation: You replace the NaN of rows without a key after the softmax, but it is still there in the backward pass and reaches the gradient of the scores.
look_at: "Where minus infinity comes in: a sum passes the gradient on, masked_fill and torch.where stop it."
loses: [gradients]
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
    bias = torch.zeros_like(scores).masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores + bias, dim=-1)
    return torch.nan_to_num(weights, nan=0.0)
