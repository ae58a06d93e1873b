"""
misconception: mask_repeated_in_wrong_order
explanation: You repeat the mask in the wrong order for heads and queries, so that a sentence gets rows of another's mask.
look_at: repeat lays whole copies one after the other; masked_fill broadcasts by itself.
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
    if mask is None:
        return torch.softmax(scores, dim=-1)
    rows = mask.reshape(-1, scores.size(-1))
    rows = rows.repeat(scores[..., 0].numel() // rows.size(0), 1)
    mask = rows.reshape(scores.shape)
    weights = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
