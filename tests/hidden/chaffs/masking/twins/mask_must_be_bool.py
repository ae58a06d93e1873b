"""Takes the mask as the condition of where."""

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
    w = F.softmax(torch.where(m, x, -torch.inf), dim=-1)
    return torch.where(m, w, torch.zeros_like(w))
