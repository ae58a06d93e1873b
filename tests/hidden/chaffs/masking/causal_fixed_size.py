"""
misconception: causal_fixed_size
explanation: You cut your causal mask out of one of a fixed size, so longer sequences get a mask that is too small.
look_at: The number in your code that should be seq_len.
loses: [causal_form]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths.unsqueeze(1))[:, None, None, :]


BLOCK_SIZE = 128


def create_causal_mask(seq_len, device=None):
    full = torch.ones(BLOCK_SIZE, BLOCK_SIZE, dtype=torch.bool, device=device).tril()
    return full[:seq_len, :seq_len]


def combine_masks(padding_mask, causal_mask):
    return padding_mask & causal_mask


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
