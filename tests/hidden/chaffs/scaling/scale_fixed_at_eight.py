"""
misconception: scale_fixed_at_eight
explanation: >-
  You divided the scores by a fixed 8, which is the square root of d_k only for heads of 64 features.
numbers: >-
  You divided by 8; with d_k = {d_k} it has to be √d_k = {sqrt_d_k:.3g}.
look_at: >-
  The line that divides the scores, and the size that it takes the square root of.
loses: [scale]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / 8
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
