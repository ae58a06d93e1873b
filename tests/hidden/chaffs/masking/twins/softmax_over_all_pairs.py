"""Divides exponentials by their sum over both axes."""

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
    keep = torch.ones_like(x, dtype=torch.bool) if m is None else m.bool().expand_as(x)
    x = torch.where(keep, x, -torch.inf)
    top = x.amax(dim=(-2, -1), keepdim=True)
    e = (x - top).exp()
    w = e / e.sum(dim=(-2, -1), keepdim=True)
    return torch.where(keep, w, torch.zeros_like(w))
