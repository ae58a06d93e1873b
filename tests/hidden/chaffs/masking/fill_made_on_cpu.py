"""
misconception: fill_made_on_cpu
explanation: You make a tensor on the CPU inside masked_softmax, wherever the scores are; on a GPU the two cannot be joined.
look_at: "The tensor that masked_softmax makes: it needs device=scores.device, or full_like."
loses: [device]
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
    hidden = torch.full(scores.shape, float("-inf"), dtype=scores.dtype)
    weights = torch.softmax(torch.where(mask != 0, scores, hidden), dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
