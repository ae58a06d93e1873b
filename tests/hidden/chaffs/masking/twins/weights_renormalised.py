"""Exponentials below the largest score of all, masked, over their sum."""

import torch
import torch.nn.functional as F


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
        e = e * m.bool()
    s = e.sum(-1, keepdim=True)
    return e / torch.where(s == 0, torch.ones_like(s), s)
