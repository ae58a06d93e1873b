"""
misconception: projections_swapped
explanation: >-
  You project the queries with w_key and the keys with w_query; each side has its own weight.
look_at: >-
  additive_score: the two lines that project.
loses: [additive]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_key.t()).unsqueeze(2)
    k = torch.matmul(key, w_query.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
