"""
misconception: scale_by_seq_len
explanation: >-
  You divided the scores by the square root of the number of keys; a score adds up d_k products, however many
  keys there are.
numbers: >-
  You divided by √seq_k = {sqrt_seq_k:.3g} instead of √d_k = {sqrt_d_k:.3g}.
look_at: >-
  The line that divides the scores, and the size that it takes the square root of.
loses: [scale]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(key.size(-2))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
