"""
misconception: exp_overflows
explanation: >-
  You computed exp(score) / sum directly: a score above 88 overflows float32, and infinity divided by infinity
  is NaN.
look_at: >-
  The exponential: subtract the largest score of each row first, or use torch.softmax.
loses: [stability]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        empty = (mask == 0).all(dim=-1, keepdim=True)
        scores = scores.masked_fill((mask == 0) & ~empty, torch.finfo(scores.dtype).min)
    exps = torch.exp(scores)
    weights = exps / exps.sum(dim=-1, keepdim=True)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
