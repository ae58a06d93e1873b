"""Pads empty rows with a one_hot of the first key."""

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
    keep = m.bool().expand_as(x)
    w = F.softmax(torch.where(keep, x, -torch.inf), dim=-1)
    first = torch.zeros_like(w)
    first[..., 0] = 1
    return torch.where(keep.any(-1, keepdim=True), w, first)
