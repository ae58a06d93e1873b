"""
misconception: nan_hidden_after_softmax
explanation: >-
  You added -inf to the scores and replaced the NaN of empty rows after the softmax. The values look right,
  but the gradient still runs through the NaN to queries and keys.
look_at: >-
  Rows without any allowed key have to be made harmless before the softmax, or filled with masked_fill, which
  stops the gradient.
loses: [masked_gradients]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        bias = torch.zeros_like(scores).masked_fill(mask == 0, float("-inf"))
        scores = scores + bias
    weights = torch.softmax(scores, dim=-1)
    weights = torch.nan_to_num(weights, nan=0.0)
    output = torch.matmul(weights, value)
    return output, weights
