"""
misconception: padding_one_too_few
explanation: Your padding mask hides the last real token of each sentence; positions counted from 1 need <= where positions counted from 0 need <.
look_at: The first position that you compare, and the comparison.
loses: [padding_values, padding_lengths]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(1, max_len + 1, device=lengths.device)
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
