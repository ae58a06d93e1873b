"""The same mistake as result_made_on_cpu, written by somebody else."""

import torch


def split_heads(inputs, h):
    b, t, d = inputs.size()
    if d % h:
        raise AssertionError("cannot split")
    k = d // h
    out = torch.empty((b, h, t, k)).to(inputs.dtype)
    for i, part in enumerate(inputs.split(k, dim=-1)):
        out[:, i] = part
    return out


def merge_heads(heads):
    b, h, t, k = heads.size()
    out = torch.empty((b, t, h, k)).to(heads.dtype)
    for i in range(h):
        out[:, :, i] = heads[:, i]
    return out.reshape(b, t, h * k)
