"""
misconception: mask_flipped_in_place
explanation: >-
  You turned the mask over in place, which changes the mask of the caller: the next layer gets the opposite
  mask.
look_at: >-
  Every method with a trailing underscore, and every assignment into the mask.
loses: [inputs_untouched]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        mask.logical_not_()
        scores = scores.masked_fill(mask == 1, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 1, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
