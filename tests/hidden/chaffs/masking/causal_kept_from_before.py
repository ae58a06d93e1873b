"""
misconception: causal_kept_from_before
explanation: You keep the causal mask of an earlier call, so a shorter sequence gets a mask that is too large.
look_at: "What your code remembers from call to call: cut it to seq_len, or do not keep it."
loses: [causal_values, causal_form]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths.unsqueeze(1))[:, None, None, :]


_kept = None


def create_causal_mask(seq_len, device=None):
    global _kept
    if _kept is None or len(_kept) < seq_len:
        _kept = torch.ones(seq_len, seq_len, dtype=torch.bool).tril()
    return _kept.to(device or "cpu")


def combine_masks(padding_mask, causal_mask):
    return padding_mask & causal_mask


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
