"""
misconception: mask_must_be_bool
explanation: >-
  You used ~mask: on an integer mask that flips bits (~1 is -2), and a float mask has no ~ at all, so only
  bool masks work.
look_at: >-
  The ~: mask == 0 means the same for bool, integer and float masks.
loses: [mask_types]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
