"""
misconception: integer_mask_tiny
explanation: "You turn integer and floating-point masks round; in this course 1 means the same as True: may attend."
look_at: What is done to a mask that is not bool.
loses: [mask_kinds]
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
    if mask.dtype != torch.bool:
        mask = ~mask.to(torch.int64) + 2
    weights = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
