"""
misconception: weight_on_both_sides
explanation: >-
  You multiplied both query and key by the weight: then it counts twice, as W times its own transpose. One side is
  translated, the other stays.
look_at: >-
  general_score: the weight appears once.
loses: [general, general_sizes]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), torch.matmul(key, weight).transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
