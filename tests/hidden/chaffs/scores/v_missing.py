"""
misconception: v_missing
explanation: >-
  You add the hidden features up without v: v is what decides how much each of them counts, and it is learned.
look_at: >-
  additive_score: the last step is the product with v.
loses: [additive, additive_gradients]
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
    return torch.sum(torch.tanh(q + k), dim=-1)
