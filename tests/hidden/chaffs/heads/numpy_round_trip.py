"""
misconception: numpy_round_trip
explanation: >-
  You went through NumPy: the gradient is lost on the way, NumPy knows no bfloat16, and the data must be on
  the CPU.
look_at: >-
  The .numpy() in merge_heads; torch has the same transpose and reshape.
loses: [gradients, dtypes, device]
"""

import numpy as np
import torch


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(batch, seq_len, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    array = np.swapaxes(x.detach().numpy(), 1, 2).reshape(batch, seq_len, num_heads * d_k)
    return torch.from_numpy(array)
