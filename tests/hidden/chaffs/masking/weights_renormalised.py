"""
misconception: weights_renormalised
explanation: "Hidden keys still decide what the allowed ones get, in the softmax or as the largest score: beside a much larger hidden score nothing is left, and all allowed weights have become 0."
look_at: "Where hidden scores still take part: in the softmax, or in the largest score that you subtract."
loses: [large_scores]
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
    weights = torch.softmax(scores, dim=-1)
    if mask is None:
        return weights
    weights = weights * (mask != 0)
    total = weights.sum(dim=-1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1.0)
