"""One maximum for all rows, and a division without a guard."""

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
    if m is None:
        e = torch.exp(x - torch.amax(x))
        return e / e.sum(-1, keepdim=True)
    keep = m.bool()
    opened = keep | ~keep.any(-1, keepdim=True)
    y = torch.where(opened, x, -torch.inf)
    e = (y - torch.amax(y)).exp()
    w = torch.div(e, e.sum(-1).unsqueeze(-1))
    return torch.where(keep, w, torch.zeros_like(w))
