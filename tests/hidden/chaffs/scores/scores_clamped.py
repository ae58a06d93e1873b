"""
misconception: scores_clamped
explanation: >-
  You cut scores off at a limit; all keys beyond it then count alike, and none of them gets a gradient. Large scores
  are for the softmax to deal with.
look_at: >-
  The clamp at the ends of the functions.
loses: [dot, scaled, general, general_sizes, additive]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)).clamp(-50, 50)


def scaled_dot_score(query, key):
    return (torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))).clamp(-50, 50)


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1)).clamp(-50, 50)


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v).clamp(-50, 50)
