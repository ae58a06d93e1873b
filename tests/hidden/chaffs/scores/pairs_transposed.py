"""
misconception: pairs_transposed
explanation: >-
  Your additive scores have one row for each key and one column for each query: the axis of size 1 stands in the
  wrong place in both.
look_at: >-
  additive_score: queries get it at place 2, keys at place 1.
loses: [additive, additive_gradients, additive_robust]
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
    q = torch.matmul(query, w_query.t()).unsqueeze(1)
    k = torch.matmul(key, w_key.t()).unsqueeze(2)
    return torch.matmul(torch.tanh(q + k), v)
