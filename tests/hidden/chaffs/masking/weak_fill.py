"""
misconception: weak_fill
explanation: "Your fill for masked scores is not low enough: allowed scores can be lower still, and then masked keys take the attention."
look_at: The number that you fill masked scores with; minus infinity is below every score.
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
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(mask == 0, -200.0)
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
