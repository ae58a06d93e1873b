"""
misconception: masked_after_softmax
explanation: >-
  You zeroed the masked keys after the softmax: the weights that are left no longer sum to one, and masked
  keys still decide how large the others are.
look_at: >-
  The order of mask and softmax: mask the scores, then the softmax shares the weight among the allowed keys.
loses: [mask]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
