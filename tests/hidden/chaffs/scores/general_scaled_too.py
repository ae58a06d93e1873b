"""
misconception: general_scaled_too
explanation: >-
  You divide the general score by √d_k: the weight can learn any scale by itself, and with the identity it has to
  be the dot product.
look_at: >-
  general_score: it ends with the matrix product.
loses: [general, general_sizes]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    scores = torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))
    return scores / math.sqrt(key.size(-1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
