"""
misconception: empty_row_first_key
explanation: You open one key in rows that have none, and it gets all the attention of the row; these weights should be zero.
look_at: What becomes of the opened key after the softmax.
loses: [masked_row]
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
    allowed = (mask != 0).expand(scores.shape).clone()
    empty = ~allowed.any(dim=-1)
    allowed[..., 0] |= empty
    return torch.softmax(scores.masked_fill(~allowed, float("-inf")), dim=-1)
