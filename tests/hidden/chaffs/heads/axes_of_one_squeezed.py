"""
misconception: axes_of_one_squeezed
explanation: >-
  You squeezed the result, which removes every axis of size one: with a single sentence, token or head the
  result has too few axes.
look_at: >-
  Every squeeze; a squeeze without a dim removes all axes of size one.
loses: [edge_sizes]
"""

import torch


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    parts = torch.split(x, d_model // num_heads, dim=-1)
    return torch.stack(parts, dim=1).squeeze()


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).reshape(batch, seq_len, num_heads * d_k).squeeze()
