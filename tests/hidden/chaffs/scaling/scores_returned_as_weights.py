"""
misconception: scores_returned_as_weights
explanation: >-
  You return the scores in place of the weights; weights are what the softmax makes of them.
look_at: >-
  The second value that you return: the result of the softmax, which the output was made with.
loses: [scores, weights, scale, weighted_sum, mask, fully_masked, dtypes]
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
    return output, scores
