"""
misconception: softmax_over_heads
explanation: >-
  You ran the softmax over axis 1 (which is also what leaving dim out does to four axes): with (batch,
  num_heads, seq_q, seq_k) these are the heads, which then compete for each pair of tokens.
look_at: >-
  The dim of the softmax: it has to be the axis of the keys, the last one.
loses: [weights]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
