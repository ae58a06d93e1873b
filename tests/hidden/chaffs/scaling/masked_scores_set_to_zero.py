"""
misconception: masked_scores_set_to_zero
explanation: >-
  You set masked scores to zero (or next to zero, such as 1e-9). The softmax turns a score of zero into exp(0)
  = 1, so masked keys keep a weight.
look_at: >-
  The value that masked scores get before the softmax: it has to be -inf or a very large negative number.
loses: [mask, fully_masked]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores * (mask != 0)
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)
    return output, weights
