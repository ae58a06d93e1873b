"""
misconception: tanh_last
explanation: >-
  You put the tanh around the finished score: v weighs the features after the tanh, not before, or all scores are
  squeezed between -1 and 1.
look_at: >-
  additive_score: the order is sum, tanh, v.
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
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.tanh(torch.matmul(q + k, v))
