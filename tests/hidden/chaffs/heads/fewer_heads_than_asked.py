"""
misconception: fewer_heads_than_asked
explanation: >-
  You let torch.chunk cut the features; where they do not divide it may return fewer chunks than asked for, so
  heads went missing without a word.
look_at: >-
  The call of torch.chunk: check that num_heads divides the features before it.
loses: [divisible]
"""

import torch


def split_heads(x, num_heads):
    return torch.stack(torch.chunk(x, num_heads, dim=-1), dim=1)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
