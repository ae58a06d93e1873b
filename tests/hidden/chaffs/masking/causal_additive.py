"""
misconception: causal_additive
explanation: Your causal mask is one to be added to the scores, 0 where allowed and minus infinity elsewhere; here a mask is bool, True where allowed.
look_at: "What your mask holds: True and False are asked for."
loses: [causal_values, causal_form]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths.unsqueeze(1))[:, None, None, :]


def create_causal_mask(seq_len, device=None):
    return torch.full((seq_len, seq_len), float("-inf"), device=device).triu(diagonal=1)


def combine_masks(padding_mask, causal_mask):
    return padding_mask & causal_mask


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
