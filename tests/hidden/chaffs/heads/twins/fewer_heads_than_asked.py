"""The same mistake as fewer_heads_than_asked, written by somebody else."""

import torch


def split_heads(inputs, h):
    heads = list(inputs.chunk(h, -1))
    return torch.stack(heads).transpose(0, 1)


def merge_heads(heads):
    return torch.cat(list(heads.unbind(1)), dim=-1)
