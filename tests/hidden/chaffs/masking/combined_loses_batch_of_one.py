"""
misconception: combined_loses_batch_of_one
explanation: "For one sentence your combined mask has the shape (1, seq_len, seq_len): its batch axis is gone, and only for a batch of one."
look_at: "squeeze, and indices: which axis they take away when the batch has one sentence."
loses: [combine_form]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths.unsqueeze(1))[:, None, None, :]


def create_causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


def combine_masks(padding_mask, causal_mask):
    return (padding_mask & causal_mask).squeeze(0)


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
