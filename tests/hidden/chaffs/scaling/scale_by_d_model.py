"""
misconception: scale_by_d_model
explanation: >-
  You divided the scores by the square root of d_model, the width of all heads together; a score adds up the
  d_k features of one head.
numbers: >-
  You divided by √d_model = {sqrt_d_model:.3g}; each head has d_k = {d_k} features, so divide by √d_k =
  {sqrt_d_k:.3g}.
look_at: >-
  The line that divides the scores, and the size that it takes the square root of.
loses: [scale]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_model = query.size(1) * query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_model)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
