"""
misconception: mask_changed_in_place
explanation: You open rows without a key in the caller's mask, and so for every layer that uses it afterwards.
look_at: "The line that changes the mask: change a copy."
loses: [inputs_unchanged]
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
    has_key = (mask != 0).any(dim=-1, keepdim=True)
    mask.masked_fill_(~has_key, 1)  # no row of minus infinity, no NaN
    weights = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    return weights * has_key
