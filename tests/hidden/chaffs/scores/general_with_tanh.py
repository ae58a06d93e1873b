"""
misconception: general_with_tanh
explanation: >-
  You put a tanh over the translated query: the general score is a plain product of query, weight and key; the
  tanh belongs to the additive score.
look_at: >-
  general_score: nothing but two matrix products.
loses: [general, general_sizes]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    return torch.matmul(torch.tanh(torch.matmul(query, weight)), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
