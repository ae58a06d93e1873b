"""
misconception: result_stays_float32
explanation: >-
  You compute in float32 and return float32 whatever came in: a model in half or double precision cannot go on
  with that.
look_at: >-
  Look for .float() and dtype=torch.float32; the result has the dtype of the query.
loses: [dot_robust, scaled_robust, general_robust, additive_robust]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query.float(), key.float().transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query.float(), key.float().transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query.float(), weight.float()), key.float().transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query.float(), w_query.float().t()).unsqueeze(2)
    k = torch.matmul(key.float(), w_key.float().t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v.float())
