"""
misconception: float_mask_added
explanation: You add floating-point masks to the scores, as some libraries do; here such a mask holds zeros and ones and says the same as a bool one.
look_at: The branch for floating-point masks.
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
    if mask.is_floating_point():
        return torch.softmax(scores + mask, dim=-1)
    weights = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
