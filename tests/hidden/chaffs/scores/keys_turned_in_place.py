"""
misconception: keys_turned_in_place
explanation: >-
  You exchange the axes of the keys in place: after the call the caller has keys of another shape.
look_at: >-
  Look for methods with a trailing underscore: transpose_ changes the argument itself, transpose makes a view.
loses: [dot_robust, scaled_robust, general_robust, additive_robust]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose_(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose_(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose_(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(w_key, key.transpose_(-2, -1)).transpose(-2, -1).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
