"""The same mistake as result_always_float32, written by somebody else."""

import torch


def split_heads(inputs, h):
    b, t, d = inputs.size()
    if d % h:
        raise AssertionError("cannot split")
    k = d // h
    out = torch.empty((b, h, t, k), device=inputs.device)
    for i, part in enumerate(inputs.split(k, dim=-1)):
        out[:, i].copy_(part)
    return out


def merge_heads(heads):
    return torch.cat(list(heads.unbind(1)), dim=-1)
