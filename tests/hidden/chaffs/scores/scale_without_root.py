"""
misconception: scale_without_root
explanation: >-
  You divided by d_k itself: that makes the scores of wide heads too small, and their softmax nearly uniform. The
  spread of a sum of d_k products is √d_k.
numbers: >-
  You divided by d_k = {d_k}; divide by √d_k = {sqrt_d_k:.3g}.
look_at: >-
  scaled_dot_score: the square root is missing.
loses: [scaled]
"""

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / query.size(-1)


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
