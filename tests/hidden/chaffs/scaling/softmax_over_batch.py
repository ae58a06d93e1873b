"""
misconception: softmax_over_batch
explanation: >-
  You ran the softmax over axis 0, the batch: the answer for one sentence depends on the others in the batch.
look_at: >-
  The dim of the softmax: it has to be the axis of the keys, the last one.
loses: [weights]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=0)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
