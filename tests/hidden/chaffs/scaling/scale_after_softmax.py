"""
misconception: scale_after_softmax
explanation: >-
  You divided the weights by the square root of d_k, after the softmax: the softmax saw the unscaled scores,
  and the weights no longer sum to one.
numbers: >-
  Your weights sum to 1 / √d_k = 1 / {sqrt_d_k:.3g}.
look_at: >-
  The order of softmax and division: the scores are divided, then comes the softmax.
loses: [weights, scale]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1) / math.sqrt(d_k)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
