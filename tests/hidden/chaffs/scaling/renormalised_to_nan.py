"""
misconception: renormalised_after_softmax
explanation: >-
  You masked after the softmax and divided by what was left: in a row without any allowed key, and beside a masked
  key with a much larger score, nothing is left, and 0 / 0 is NaN.
look_at: >-
  The order of mask and softmax: mask the scores, then the softmax shares the weight among the allowed keys.
loses: [mask, fully_masked, masked_gradients]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
        weights = weights / weights.sum(dim=-1, keepdim=True)
    output = torch.matmul(weights, value)
    return output, weights
