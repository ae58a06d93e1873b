"""
misconception: axes_of_one_squeezed
explanation: >-
  You squeezed a result, which removes every axis of size one: with a single sentence, head, query or key
  there are too few axes.
look_at: >-
  Every squeeze; a squeeze without a dim removes all axes of size one.
loses: [edge_sizes]
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
    output = torch.matmul(weights, value)
    return output.squeeze(), weights.squeeze()
