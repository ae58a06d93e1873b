"""
misconception: equal_sizes_only
explanation: >-
  Your general score works only where queries and keys have equally many features; that they may differ is what
  the matrix is for.
look_at: >-
  general_score: an assertion or a size taken from one side and used for the other.
loses: [general_sizes]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    d = query.size(-1)
    weight = weight.reshape(d, d)
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
