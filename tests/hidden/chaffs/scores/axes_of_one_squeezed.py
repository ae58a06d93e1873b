"""
misconception: axes_of_one_squeezed
explanation: >-
  You remove axes of size one: a batch of one sentence, or one query at a time, loses an axis that the caller
  counts on.
look_at: >-
  Look for squeeze(); name the axis that you mean, or leave it.
loses: [dot_robust, scaled_robust, general_robust, additive_robust]
"""

import math

import torch


def dot_score(query, key):
    return (torch.matmul(query, key.transpose(-2, -1))).squeeze()


def scaled_dot_score(query, key):
    return (torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))).squeeze()


def general_score(query, key, weight):
    return (torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))).squeeze()


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return (torch.matmul(torch.tanh(q + k), v)).squeeze()
