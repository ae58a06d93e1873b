"""
misconception: dropped_weights_returned
explanation: >-
  You applied dropout to the weights, which stays on by default (training=True): the answer changes from call to call,
  in evaluation too.
look_at: >-
  The dropout: none is asked for here; elsewhere it needs training=self.training.
loses: [returns, scores, weights, scale, weighted_sum, mask, mask_types, fully_masked, gradients, masked_gradients, inputs_untouched, leading_axes, edge_sizes, memory_layout, stability, dtypes, device]
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
    weights = torch.nn.functional.dropout(weights, 0.1)
    output = torch.matmul(weights, value)
    return output, weights
