"""Swapped outcomes, and columns in place of rows."""

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
        return F.softmax(x, dim=-2)
    hide = m.bool()
    w = F.softmax(torch.where(hide, -torch.inf, x), dim=-2)
    return torch.where(hide, torch.zeros_like(w), w)
