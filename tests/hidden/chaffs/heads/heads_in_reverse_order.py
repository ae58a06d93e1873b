"""
misconception: heads_in_reverse_order
explanation: >-
  You put the heads in the opposite order: head 0 holds the last d_k features instead of the first.
look_at: >-
  The order in which the parts are collected in split_heads.
loses: [split]
"""

import torch


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    d_k = d_model // num_heads
    parts = []
    end = d_model
    while end > 0:
        parts.append(x[:, :, end - d_k : end])
        end -= d_k
    return torch.stack(parts, dim=1)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
