"""Asks for the sizes of four axes to expand the mask."""

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
    sizes = [x.size(axis) for axis in range(4)]
    keep = torch.ones_like(x).bool() if m is None else m.bool().expand(sizes)
    w = F.softmax(torch.where(keep, x, -torch.inf), dim=3)
    return torch.where(keep, w, torch.zeros_like(w))
