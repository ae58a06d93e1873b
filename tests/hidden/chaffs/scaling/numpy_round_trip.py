"""
misconception: numpy_round_trip
explanation: >-
  You went through NumPy: the gradient is lost on the way, NumPy knows no bfloat16, and the data must be on
  the CPU.
look_at: >-
  Every .numpy() and from_numpy; torch has the same operations.
loses: [gradients, dtypes, device]
"""

import numpy as np
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    q, k, v = (x.detach().numpy() for x in (query, key, value))
    scores = q @ np.swapaxes(k, -2, -1) / np.sqrt(q.shape[-1]).astype(q.dtype)
    if mask is not None:
        blocked = mask.numpy() == 0
        scores = np.where(blocked, np.finfo(scores.dtype).min, scores)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    if mask is not None:
        weights = np.where(blocked, np.zeros((), dtype=weights.dtype), weights)
    return torch.from_numpy(weights @ v), torch.from_numpy(weights)
