"""
misconception: mask_too_weak
explanation: >-
  You filled masked scores with a number that is not negative enough: masked keys keep a small weight, and a
  very low score of an allowed key loses to them.
look_at: >-
  The fill constant: use -inf or torch.finfo(scores.dtype).min.
loses: [mask, fully_masked]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -10.0)
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)
    return output, weights
