"""
misconception: mask_inverted
explanation: >-
  You hid the keys where the mask is True; True means "may attend" here.
look_at: >-
  The condition of masked_fill (or where): it has to be true where the mask is False.
loses: [mask]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask != 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask != 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
