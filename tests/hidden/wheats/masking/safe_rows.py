"""Opens empty rows in a mask of its own before the softmax, and closes them again after it, so that no NaN ever exists."""

import torch


def create_padding_mask(lengths, max_len):
    steps = torch.ones(len(lengths), max_len, dtype=torch.long, device=lengths.device).cumsum(dim=1)
    return (steps <= lengths[:, None]).view(-1, 1, 1, max_len)


def create_causal_mask(seq_len, device=None):
    index = torch.arange(seq_len, device=device)
    return index[:, None] >= index[None, :]


def combine_masks(padding_mask, causal_mask):
    return torch.where(causal_mask, padding_mask, torch.zeros_like(padding_mask))


def masked_softmax(scores, mask=None):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.to(torch.bool)
    has_key = mask.any(dim=-1, keepdim=True)
    opened = mask | ~has_key
    weights = torch.softmax(torch.where(opened, scores, -torch.inf), dim=-1)
    return torch.where(has_key, weights, torch.zeros_like(weights))
