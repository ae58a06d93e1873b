"""
misconception: padding_positions_on_cpu
explanation: You make the positions on the CPU, wherever the lengths are; on a GPU the comparison fails.
look_at: "torch.arange in create_padding_mask: it needs device=lengths.device."
loses: [device]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len)
    return (positions < lengths.unsqueeze(1))[:, None, None, :]


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
