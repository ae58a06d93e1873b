"""
misconception: view_of_any_layout
explanation: >-
  You used view on the inputs. Heads that come from a transpose are not contiguous in memory, and view refuses
  them.
look_at: >-
  The view: use reshape, or do without folding the axes.
loses: [memory_layout]
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    leading = query.shape[:-2]
    d_k = query.size(-1)
    query = query.view(-1, query.size(-2), d_k)
    key = key.view(-1, key.size(-2), d_k)
    value = value.view(-1, value.size(-2), value.size(-1))
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    scores = scores.view(*leading, *scores.shape[-2:])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = torch.bmm(weights.reshape(-1, *weights.shape[-2:]), value)
    output = output.view(*leading, *output.shape[-2:])
    return output, weights
