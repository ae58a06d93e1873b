"""
misconception: float_mask_added
explanation: >-
  You added a float mask to the scores, as torch does with its own float masks; here a float mask holds 1
  where a query may attend and 0 where it may not, like a bool mask.
look_at: >-
  The branch for masks that are not bool.
loses: [mask_types]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    blocked = None
    if mask is not None and mask.is_floating_point():
        scores = scores + mask
    elif mask is not None:
        blocked = mask == 0
        scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if blocked is not None:
        weights = weights.masked_fill(blocked, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
