"""
misconception: empty_row_gives_nan
explanation: >-
  You filled with -inf and left rows without any allowed key alone: softmax of nothing but -inf is 0 / 0 =
  NaN, and the NaN spreads to the gradients of all values.
look_at: >-
  What happens to a query whose keys are all masked: its weights have to become zero.
loses: [fully_masked, masked_gradients]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)
    return output, weights
