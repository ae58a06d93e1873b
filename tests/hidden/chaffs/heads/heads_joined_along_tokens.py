"""
misconception: heads_joined_along_tokens
explanation: >-
  You concatenated the heads along the tokens, which makes the sequence num_heads times as long; they belong
  side by side in the features.
look_at: >-
  The dim of the concatenation in merge_heads.
loses: [merge]
"""

import torch


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(batch, seq_len, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x):
    return torch.cat([x[:, i] for i in range(x.shape[1])], dim=1)
