"""
misconception: padding_squeezed
explanation: You call squeeze() without naming an axis, so a batch of one sentence loses its batch axis.
look_at: "squeeze: say which axis, or leave it out."
loses: [padding_lengths]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    mask = (positions.unsqueeze(0) < lengths.unsqueeze(1)).squeeze()
    return mask[:, None, None, :]


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
