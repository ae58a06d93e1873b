"""
misconception: scale_by_seq_len
explanation: >-
  You took the square root of the number of keys: a score is a sum over the features of one key, so it is their
  number, d_k, that counts.
look_at: >-
  scaled_dot_score: the size under the root is the last one of the query, shape[-1].
loses: [scaled, scaled_robust]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(key.size(1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
