"""
misconception: query_scaled_in_place
explanation: >-
  You divided the query in place: the caller still needs it as it was, and so does whoever attends with it next.
look_at: >-
  scaled_dot_score: /= and div_ change the argument; / makes a new tensor.
loses: [scaled_robust]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    with torch.no_grad():
        query /= math.sqrt(query.size(-1))
    return torch.matmul(query, key.transpose(-2, -1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
