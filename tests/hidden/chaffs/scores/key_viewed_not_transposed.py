"""
misconception: key_viewed_not_transposed
explanation: >-
  You gave the keys the shape (batch, d_k, seq_k) by a view or reshape: that renames places and exchanges nothing,
  so features of different tokens are mixed.
look_at: >-
  The line that turns the keys: exchanging two axes is transpose(-2, -1).
loses: [dot, dot_robust, scaled, scaled_robust]
"""

import math

import torch


def dot_score(query, key):
    batch, seq_k, d_k = key.shape
    return torch.matmul(query, key.reshape(batch, d_k, seq_k))


def scaled_dot_score(query, key):
    return dot_score(query, key) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
