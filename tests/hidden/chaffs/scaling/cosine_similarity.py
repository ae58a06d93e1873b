"""
misconception: cosine_similarity
explanation: >-
  You brought queries and keys to length one before comparing them: that is cosine similarity, in which a long
  key counts no more than a short one; a dot product keeps the lengths.
look_at: >-
  Any normalize or norm before the product of query and key.
loses: [scores, scale]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(
        torch.nn.functional.normalize(query, dim=-1), torch.nn.functional.normalize(key, dim=-1).transpose(-2, -1)
    ) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.matmul(weights, value)
    return output, weights
