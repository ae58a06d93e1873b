"""Takes each head's slice by hand and stacks them; joins them with cat."""

import torch


def split_heads(x, num_heads):
    d_model = x.size(-1)
    assert d_model % num_heads == 0, "the heads do not fit"
    d_k = d_model // num_heads
    heads = [x[:, :, i * d_k : (i + 1) * d_k] for i in range(num_heads)]
    return torch.stack(heads, dim=1)


def merge_heads(x):
    return torch.cat([x[:, i] for i in range(x.size(1))], dim=-1)
