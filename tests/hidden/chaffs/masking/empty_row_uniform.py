"""
misconception: empty_row_uniform
explanation: A row whose keys are all masked attends to all of them alike, since equal fills cancel in the softmax. Its weights should be zero.
look_at: "What happens after the softmax in rows that have no key: a finite fill hides the trouble."
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
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1)
