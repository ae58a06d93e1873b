"""
misconception: keys_down_queries_across
explanation: >-
  Your scores have one row for each key and one column for each query; it has to be the other way round, or the
  softmax over the last axis runs over the queries.
look_at: >-
  The matrix product: the queries come first, and it is the keys that are transposed.
loses: [dot, dot_robust, scaled, scaled_robust]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(key, query.transpose(-2, -1))


def scaled_dot_score(query, key):
    return dot_score(query, key) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
