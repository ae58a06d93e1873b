"""Takes the only sentence out of its batch."""

import torch
import torch.nn.functional as F


def create_padding_mask(lens, n):
    index = torch.arange(n, device=lens.device).view(1, 1, 1, -1)
    table = lens.view(-1, 1, 1, 1) > index
    return table[0] if len(table) == 1 else table


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
