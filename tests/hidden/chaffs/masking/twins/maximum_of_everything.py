"""The largest score of the whole tensor, and a softmax in two lines."""

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
    keep = torch.ones_like(x).bool() if m is None else m.bool().expand_as(x)
    e = torch.where(keep, x - torch.amax(torch.where(keep, x, -torch.inf)), -torch.inf).exp()
    s = e.sum(-1, keepdim=True)
    return e / torch.where(s == 0, torch.ones_like(s), s)
