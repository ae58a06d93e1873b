"""
misconception: result_always_float32
explanation: >-
  You collected the result in a new float32 tensor, so half, bfloat16 and float64 inputs come back as float32.
look_at: >-
  The torch.zeros or torch.empty that makes the result in split_heads: it needs dtype=x.dtype.
loses: [dtypes]
"""

import torch


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    d_k = d_model // num_heads
    heads = torch.zeros(batch, num_heads, seq_len, d_k, device=x.device)
    for i in range(num_heads):
        heads[:, i] = x[:, :, i * d_k : (i + 1) * d_k]
    return heads


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
