"""
misconception: mask_promotes_dtype
explanation: You add a float32 tensor made from the mask, and a sum of half precision and float32 is float32; the weights should have the scores' dtype.
look_at: The dtype of what you add to the scores.
loses: [dtypes]
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
    penalty = (1.0 - mask.float()) * -10000.0
    return torch.softmax(scores + penalty, dim=-1) * (mask != 0)
