"""
misconception: future_hidden_unasked
explanation: >-
  You hide the keys after each query although no mask was given; None means that every query may attend to every
  key.
look_at: >-
  What your code does when mask is None: whoever wants a causal mask hands one over.
loses: [weights]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is None:
        mask = torch.tril(torch.ones(scores.shape[-2:], device=scores.device))
    scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
