"""
misconception: mask_of_first_sentence
explanation: You use the first sentence's mask for the whole batch when the mask has to broadcast.
look_at: How the axes of size one are dropped from the mask.
loses: [broadcasting]
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
    if mask.shape != scores.shape:
        mask = mask.reshape(-1, *mask.shape[-2:])[0]
    weights = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
