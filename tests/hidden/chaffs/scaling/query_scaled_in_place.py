"""
misconception: query_scaled_in_place
explanation: >-
  You scaled the query in place (/=, mul_ or div_), which changes the tensor of the caller: a second use of it
  sees other numbers.
look_at: >-
  Every operator such as /= and every method with a trailing underscore on an argument.
loses: [inputs_untouched]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    query.div_(math.sqrt(query.size(-1)))
    scores = torch.matmul(query, key.transpose(-2, -1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
