"""
misconception: weights_of_first_sample
explanation: >-
  You used the weights of the first sentence for the whole batch: right only for a batch of one.
look_at: >-
  Any index [0] or [:1] between the softmax and the output.
loses: [weighted_sum]
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
    output = torch.matmul(weights[:1], value)
    return output, weights
