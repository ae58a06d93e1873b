"""
misconception: contiguous_only
explanation: You use view on the scores, which refuses tensors that are not contiguous, such as transposed ones; reshape takes any.
look_at: "view on an argument: use reshape, or no reshaping at all."
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
    rows = scores.view(-1, scores.size(-1))
    if mask is None:
        return torch.softmax(rows, dim=-1).view(scores.shape)
    blocked = (mask == 0).expand(scores.shape).reshape(rows.shape)
    weights = torch.softmax(rows.masked_fill(blocked, float("-inf")), dim=-1)
    return weights.masked_fill(blocked, 0.0).view(scores.shape)
