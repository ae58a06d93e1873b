"""
misconception: mask_inverted
explanation: You hide the scores where the mask is True and the weights where it is False, so no key is left and all weights are 0; in this course True means that a key may be attended to.
look_at: "The condition of the first masked_fill, or the order of the arguments of where: scores are hidden where the mask is False."
loses: [masked_weights, masked_row, gradients, mask_kinds, broadcasting, large_scores, dtypes, inputs_unchanged, device]
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
    scores = torch.where(mask != 0, float("-inf"), scores)
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
