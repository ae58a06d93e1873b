"""
misconception: scores_detached
explanation: >-
  You cut the scores off from what they were computed of: no gradient reaches query, key or any parameter, so
  nothing can be learned.
look_at: >-
  Look for detach, .data, NumPy and torch.no_grad().
loses: [dot_robust, scaled_robust, general_gradients, additive_gradients]
"""

import math

import torch


def dot_score(query, key):
    return (torch.matmul(query, key.transpose(-2, -1))).detach()


def scaled_dot_score(query, key):
    return (torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))).detach()


def general_score(query, key, weight):
    return (torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))).detach()


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return (torch.matmul(torch.tanh(q + k), v)).detach()
