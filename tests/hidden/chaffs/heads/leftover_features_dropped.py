"""
misconception: leftover_features_dropped
explanation: >-
  You rounded d_model / num_heads down and dropped the features that were left over, without a word; sizes
  that do not divide must be refused.
look_at: >-
  The line that computes d_k: what happens to the remainder?
loses: [divisible]
"""

import torch


def split_heads(x, num_heads):
    d_k = x.shape[-1] // num_heads
    return torch.stack([x[:, :, i * d_k : (i + 1) * d_k] for i in range(num_heads)], dim=1)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
