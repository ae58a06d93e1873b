"""
misconception: softmax_over_all_pairs
explanation: Your softmax runs over queries and keys together, so a whole matrix of weights sums to one; each of its rows should.
look_at: What is flattened before the softmax.
loses: [softmax_values, masked_weights]
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
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores.flatten(-2), dim=-1).view_as(scores)
    return weights if mask is None else weights.masked_fill(mask == 0, 0.0)
