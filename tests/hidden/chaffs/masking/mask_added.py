"""
misconception: mask_added
explanation: You add the mask to the scores, so allowed keys get 1 more than masked ones and nothing is hidden.
look_at: "The line that joins scores and mask: what does True count as in a sum?"
loses: [masked_weights, masked_row, large_scores]
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
        scores = scores + mask
    return torch.softmax(scores, dim=-1)
