"""Fills where the mask holds, and multiplies by it."""

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
    if m is None:
        return F.softmax(x, dim=-1)
    keep = m.bool()
    w = F.softmax(x.masked_fill(keep, -torch.inf), dim=-1)
    return w * keep
