"""
misconception: scale_remembered
explanation: >-
  You keep the scale of the first call and use it in all later ones; heads of another width need another.
look_at: >-
  What outlives a call: a global, a cache, a default argument. Compute the root of d_k anew in each call.
loses: [scale, inputs_untouched]
"""

import math

import torch


_scale = None


def scaled_dot_product_attention(query, key, value, mask=None):
    global _scale
    if _scale is None:
        _scale = math.sqrt(query.size(-1))
    scores = torch.matmul(query, key.transpose(-2, -1)) / _scale
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
