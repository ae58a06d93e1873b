"""
misconception: keys_scored_by_keys
explanation: >-
  You compare the keys with each other: the query never enters the scores, so every question gets the same answer.
look_at: >-
  The product that makes the scores: its left side is the query.
loses: [returns, scores, weights, scale, weighted_sum, mask, mask_types, fully_masked, gradients, masked_gradients, inputs_untouched, leading_axes, edge_sizes, memory_layout, stability, dtypes, device]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(key, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    return torch.matmul(weights, value), weights
