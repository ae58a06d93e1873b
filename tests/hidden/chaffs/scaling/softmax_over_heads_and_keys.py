"""
misconception: softmax_over_heads_and_keys
explanation: >-
  You ran one softmax over the keys of all heads together: the heads share a weight of one, and each gets a
  part of it.
look_at: >-
  What is flattened before the softmax: every head needs weights that sum to one by themselves.
loses: [weights]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    if scores.dim() == 4:
        batch, num_heads, seq_q, seq_k = scores.shape
        scores = scores.transpose(1, 2).reshape(batch, seq_q, num_heads * seq_k)
        weights = torch.softmax(scores, dim=-1).reshape(batch, seq_q, num_heads, seq_k).transpose(1, 2)
    else:
        weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
