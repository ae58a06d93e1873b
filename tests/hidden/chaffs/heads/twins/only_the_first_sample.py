"""The same mistake as only_the_first_sample, written by somebody else."""

import torch


def split_heads(inputs, h):
    b, t, d = inputs.size()
    if d % h:
        raise AssertionError("cannot split")
    sentence = inputs.select(0, 0)
    return torch.stack(sentence.split(d // h, dim=-1))[None]


def merge_heads(heads):
    return torch.cat(list(heads.unbind(1)), dim=-1)
