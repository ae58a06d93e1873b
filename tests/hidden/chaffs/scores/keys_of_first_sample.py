"""
misconception: keys_of_first_sample
explanation: >-
  You use the keys of the first sample for all of them.
look_at: >-
  additive_score: an index of 0 on the batch axis.
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
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key[0], w_key.t()).unsqueeze(0).unsqueeze(0)
    return torch.matmul(torch.tanh(q + k), v)
