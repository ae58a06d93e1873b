"""
misconception: gradient_cut
explanation: Your weights are cut from the scores (by detach, .data, NumPy or no_grad), so nothing before them can learn.
look_at: The place where the computation leaves torch's record.
loses: [gradients]
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
    scores = scores.detach()
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
