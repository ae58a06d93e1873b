"""Views the scores as a list of rows."""

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
    keys = x.shape[-1]
    keep = torch.ones_like(x).bool() if m is None else m.bool().expand_as(x)
    rows = torch.where(keep.reshape(-1, keys), x.view(-1, keys), -torch.inf).softmax(1)
    return torch.where(keep, rows.reshape_as(x), torch.zeros_like(x))
