"""
misconception: scale_missing
explanation: >-
  You did not divide the scores: they spread by the square root of d_k, so the softmax gets sharper as heads
  get wider, and its gradient vanishes.
numbers: >-
  Your scores are not divided; with d_k = {d_k} they have to be divided by √d_k = {sqrt_d_k:.3g}.
look_at: >-
  The line that multiplies query and key: the division by the square root of d_k is missing.
loses: [scale]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
