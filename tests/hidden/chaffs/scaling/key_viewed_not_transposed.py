"""
misconception: key_viewed_not_transposed
explanation: >-
  You gave the key the shape (…, d_k, seq_k) with a view or reshape. That renames places and moves no axis, so
  each score compares a query with pieces of several keys.
look_at: >-
  The line that turns the key: only transpose moves an axis.
loses: [scores, scale, mask]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.reshape(*key.shape[:-2], d_k, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
