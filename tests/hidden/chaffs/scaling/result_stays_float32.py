"""
misconception: result_stays_float32
explanation: >-
  You computed in float32, which is a good idea for half types, but did not cast back: the result has another
  dtype than the inputs.
look_at: >-
  The end of the function: output and weights need .to(query.dtype).
loses: [dtypes]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    query, key, value = query.float(), key.float(), value.float()
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
