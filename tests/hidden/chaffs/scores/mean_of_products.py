"""
misconception: mean_of_products
explanation: >-
  You take the mean of the products over the features where their sum belongs: that divides the dot product by
  d_k.
look_at: >-
  dot_score: the products are added up, and not averaged.
loses: [dot]
"""

import math

import torch


def dot_score(query, key):
    return torch.mean(query.unsqueeze(2) * key.unsqueeze(1), dim=-1)


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
