"""
misconception: maximum_of_everything
explanation: "You subtract one number, the largest score of the whole tensor: in rows far below it every exponential is 0, and nothing is left to share out."
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
        scores = scores.masked_fill(mask == 0, float("-inf"))
    exponentials = torch.exp(scores - scores.max())
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1.0)
