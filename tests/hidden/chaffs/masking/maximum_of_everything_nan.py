"""
misconception: maximum_of_everything
explanation: "You subtract one number, the largest score of the whole tensor: in rows far below it every exponential is 0, and 0 / 0 is NaN."
look_at: "The largest score: each row needs its own (dim=-1, keepdim=True)."
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
    if mask is not None:
        empty = (mask == 0).all(dim=-1, keepdim=True)
        scores = scores.masked_fill((mask == 0) & ~empty, float("-inf"))
    exponentials = torch.exp(scores - scores.max())
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return weights if mask is None else weights.masked_fill(mask == 0, 0.0)
