"""
misconception: combined_in_wrong_order
explanation: You repeat the padding rows in the wrong order, so that queries of one sentence get the padding of another.
look_at: repeat lays whole copies one after the other; repeat_interleave repeats each row, and broadcasting needs neither.
loses: [combine_values]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths.unsqueeze(1))[:, None, None, :]


def create_causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


def combine_masks(padding_mask, causal_mask):
    batch, seq_len = padding_mask.size(0), causal_mask.size(0)
    padding = padding_mask.reshape(batch, seq_len).repeat(seq_len, 1)
    padding = padding.reshape(batch, 1, seq_len, seq_len)
    return padding & causal_mask


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
