"""
misconception: weights_detached
explanation: >-
  You detached the weights (by .data, .detach() or no_grad): the values still learn, but no gradient reaches
  queries and keys, so what to look at is never learned.
look_at: >-
  Every .data, .detach() and torch.no_grad() between the scores and the output.
loses: [gradients]
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
    output = torch.matmul(weights.detach(), value)
    return output, weights
