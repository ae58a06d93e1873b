"""Heads are stacked in front of everything."""

import torch


def split_heads(inputs, h):
    b, t, d = inputs.size()
    if d % h:
        raise AssertionError("cannot split")
    return torch.stack(inputs.split(d // h, dim=-1), dim=0)


def merge_heads(heads):
    return torch.cat(list(heads.unbind(1)), dim=-1)
