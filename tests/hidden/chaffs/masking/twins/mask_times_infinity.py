"""Multiplies the inverted mask by infinity and subtracts."""

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
    if m is not None:
        x = x - torch.inf * m.logical_not().to(x.dtype)
    return F.softmax(x, dim=-1)
