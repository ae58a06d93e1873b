"""
misconception: four_axes_only
explanation: >-
  You took query, key and value apart into exactly four axes; any number of leading axes is promised, none
  included.
look_at: >-
  The line that unpacks a shape, an einsum with fixed letters or a transpose of fixed axes: count axes from
  the end.
loses: [leading_axes]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    batch, num_heads, seq_q, d_k = query.shape
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
