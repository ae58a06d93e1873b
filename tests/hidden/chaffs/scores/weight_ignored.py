"""
misconception: weight_ignored
explanation: >-
  Your general score does not use the weight: it is the dot product, which nothing can be learned in.
look_at: >-
  general_score: the weight stands between query and key.
loses: [general, general_sizes, general_gradients]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    return torch.matmul(query, key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
