"""Exponentials below the largest score of all, zeroed where the mask is, over their sum."""

import torch


def create_padding_mask(lens, n):
    index = torch.arange(n, device=lens.device).view(1, 1, 1, -1)
    return lens.view(-1, 1, 1, 1) > index


def create_causal_mask(n, device=None):
    i = torch.arange(n, device=device)
    return i.view(-1, 1) >= i


def combine_masks(pad, causal):
    return torch.logical_and(pad, causal)


def masked_softmax(x, m=None):
    e = (x - x.amax(-1, keepdim=True)).exp()
    if m is not None:
        e = torch.where(m.bool(), e, torch.zeros_like(e))
    return e / e.sum(-1).unsqueeze(-1)
