"""
misconception: scale_remembered
explanation: >-
  You computed the scale at the first call and kept it: a later call with another d_k is scaled by the old
  one.
look_at: >-
  What outlives the call: a global, a default argument or an attribute that holds the scale.
loses: [scale]
"""

import math

import torch


SCALE = None


def scaled_dot_product_attention(query, key, value, mask=None):
    global SCALE
    if SCALE is None:
        SCALE = 1 / math.sqrt(query.size(-1))
    scores = torch.matmul(query, key.transpose(-2, -1)) * SCALE
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
