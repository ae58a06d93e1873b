"""
misconception: keys_handed_over
explanation: >-
  You added up the keys instead of the values: the key says whether a token is wanted, the value is what it
  hands over.
look_at: >-
  The last product: the weights are multiplied with value.
loses: [returns, weighted_sum, gradients]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, key)
    return output, weights
