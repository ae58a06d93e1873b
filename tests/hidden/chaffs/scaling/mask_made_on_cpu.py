"""
misconception: mask_made_on_cpu
explanation: >-
  You made a tensor without saying where, so it lies on the CPU and meets scores on an accelerator.
look_at: >-
  Every torch.zeros, torch.ones, torch.full or torch.tensor: it needs device=query.device.
loses: [device]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        lowest = torch.full(scores.shape, torch.finfo(scores.dtype).min, dtype=scores.dtype)
        scores = torch.where(mask == 0, lowest, scores)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
