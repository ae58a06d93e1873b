"""
misconception: empty_row_gives_average
explanation: >-
  You filled with a large negative number: in a row without any allowed key all scores are equal again, and
  the query gets the plain average of what it must not see.
look_at: >-
  What happens to a query whose keys are all masked: its weights have to become zero.
loses: [fully_masked]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)
    return output, weights
