"""
misconception: scale_by_d_v
explanation: >-
  You divided the scores by the square root of d_v, the size of a value; a score adds up d_k products, one for
  each feature of query and key.
numbers: >-
  You divided by √d_v = {sqrt_d_v:.3g}; the score has d_k = {d_k} terms, so divide by √d_k = {sqrt_d_k:.3g}.
look_at: >-
  The line that divides the scores, and the size that it takes the square root of.
loses: [scale]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(value.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
