"""
misconception: mask_without_effect
explanation: >-
  Your mask has no effect. Either it is not used, or its result is dropped: masked_fill without an underscore
  returns a new tensor.
look_at: >-
  Where the mask is applied: is the result assigned to a name that is used afterwards?
loses: [mask, fully_masked]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)
    return output, weights
