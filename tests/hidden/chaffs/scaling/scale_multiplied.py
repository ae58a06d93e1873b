"""
misconception: scale_multiplied
explanation: >-
  You multiplied the scores by the square root of d_k (dividing by d_k to the power of -0.5 does that too):
  they spread more instead of less.
numbers: >-
  You multiplied by √d_k = {sqrt_d_k:.3g} instead of dividing by it.
look_at: >-
  The sign of the exponent, or the division, in the line that scales the scores.
loses: [scale]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / d_k**-0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
