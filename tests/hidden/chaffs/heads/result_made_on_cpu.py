"""
misconception: result_made_on_cpu
explanation: >-
  You collected the result in a new tensor without saying where, so it lies on the CPU even when x is on an
  accelerator.
look_at: >-
  Every torch.zeros or torch.empty that makes a result: it needs device=x.device.
loses: [device]
"""

import torch


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    d_k = d_model // num_heads
    heads = torch.zeros(batch, num_heads, seq_len, d_k, dtype=x.dtype)
    for i in range(num_heads):
        heads[:, i] = x[:, :, i * d_k : (i + 1) * d_k]
    return heads


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    merged = torch.zeros(batch, seq_len, num_heads * d_k, dtype=x.dtype)
    for i in range(num_heads):
        merged[:, :, i * d_k : (i + 1) * d_k] = x[:, i]
    return merged
