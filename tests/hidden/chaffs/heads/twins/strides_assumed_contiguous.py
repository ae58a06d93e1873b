"""The same mistake as strides_assumed_contiguous, written by somebody else."""

import torch


def split_heads(inputs, h):
    b, t, d = inputs.size()
    if d % h:
        raise AssertionError("cannot split")
    k = d // h
    return torch.as_strided(inputs, size=[b, h, t, k], stride=[t * d, k, d, 1])


def merge_heads(heads):
    return torch.cat(list(heads.unbind(1)), dim=-1)
