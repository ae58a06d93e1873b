"""
misconception: fill_too_large_for_half
explanation: >-
  You filled with a number that half precision cannot hold, such as -1e9: its largest one is 65504, so the fill
  raises.
look_at: >-
  The fill constant: -inf and torch.finfo(scores.dtype).min fit every dtype.
loses: [dtypes]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
