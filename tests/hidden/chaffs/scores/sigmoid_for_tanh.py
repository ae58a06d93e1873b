"""
misconception: sigmoid_for_tanh
explanation: >-
  You used a sigmoid where tanh belongs: it is never negative, so a feature of v can only pull in one direction.
look_at: >-
  additive_score: the function between the sum and v.
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
    return torch.matmul(torch.sigmoid(q + k), v)
