"""
misconception: softmax_applied
explanation: >-
  You return attention weights: scores come before the softmax, which is not part of this exercise, because the
  mask comes in between.
look_at: >-
  The ends of the functions: no softmax.
loses: [dot, scaled, general, general_sizes, general_gradients, additive, additive_gradients, dot_robust, scaled_robust, general_robust, additive_robust]
"""

import math

import torch


def dot_score(query, key):
    return torch.softmax(torch.matmul(query, key.transpose(-2, -1)), dim=-1)


def scaled_dot_score(query, key):
    return torch.softmax(torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1)), dim=-1)


def general_score(query, key, weight):
    return torch.softmax(torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1)), dim=-1)


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.softmax(torch.matmul(torch.tanh(q + k), v), dim=-1)
