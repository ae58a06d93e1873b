"""
misconception: combined_ignores_padding
explanation: Your combined mask is the causal mask alone; the result of joining it with the padding is not used.
look_at: "The line that joins the masks: what becomes of its result?"
loses: [combine_values, combine_form, device]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths.unsqueeze(1))[:, None, None, :]


def create_causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


def combine_masks(padding_mask, causal_mask):
    padding_mask.logical_and(causal_mask)
    return causal_mask.expand(padding_mask.size(0), 1, -1, -1)


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
