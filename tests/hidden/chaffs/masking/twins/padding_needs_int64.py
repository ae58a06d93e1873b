"""Marks the first padded position by one_hot, and sums."""

import torch
import torch.nn.functional as F


def create_padding_mask(lens, n):
    after = torch.cumsum(F.one_hot(lens, num_classes=n + 1), -1)
    return after[:, :-1].eq(0).unsqueeze(1).unsqueeze(1)


def create_causal_mask(n, device=None):
    i = torch.arange(n, device=device)
    return i.view(-1, 1) >= i


def combine_masks(pad, causal):
    return torch.logical_and(pad, causal)


def masked_softmax(x, m=None):
    if m is None:
        return F.softmax(x, dim=-1)
    keep = m.bool()
    w = F.softmax(torch.where(keep, x, -torch.inf), dim=-1)
    return torch.where(keep, w, torch.zeros_like(w))
