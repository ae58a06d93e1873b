"""
misconception: mask_added_as_number
explanation: >-
  You added the mask itself to the scores: that adds 1 where a query may attend and 0 where it may not, which
  hides nothing.
look_at: >-
  The line that adds the mask: what has to be added is 0 where a query may attend and -inf where it may not.
loses: [mask, fully_masked]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores + mask.to(scores.dtype)
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)
    return output, weights
