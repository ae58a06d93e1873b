"""
misconception: causal_kept_from_before
explanation: >-
  You keep the largest causal mask so far and hand it out as it is, so a shorter text gets a mask that is too large.
look_at: >-
  What outlives a call of create_causal_mask: make the mask anew, or cut what you kept to seq_len rows and columns.
loses: [causal_form]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths.unsqueeze(1))[:, None, None, :]


_causal_mask = None


def create_causal_mask(seq_len, device=None):
    global _causal_mask
    if _causal_mask is None or len(_causal_mask) < seq_len:
        _causal_mask = torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()
    return _causal_mask


def combine_masks(padding_mask, causal_mask):
    return padding_mask & causal_mask


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
