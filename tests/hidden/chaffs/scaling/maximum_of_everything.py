"""
misconception: maximum_of_everything
explanation: >-
  You subtracted the largest score of the whole tensor: in rows whose scores are far below it every
  exponential is zero, and zero divided by zero is NaN.
look_at: >-
  The max before the exponential: it has to be the maximum of each row.
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
    exps = torch.exp(scores - scores.max())
    weights = exps / exps.sum(dim=-1, keepdim=True)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
