"""
misconception: no_axis_for_pairs
explanation: >-
  You add queries and keys without giving either an axis for the other: that adds the first query to the first
  key, the second to the second, and fails where their numbers differ.
look_at: >-
  additive_score: unsqueeze(2) for the queries and unsqueeze(1) for the keys, before adding.
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
    q = torch.matmul(query, w_query.t())
    k = torch.matmul(key, w_key.t())
    return torch.matmul(torch.tanh(q + k), v)
