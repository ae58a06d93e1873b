"""
misconception: scale_missing
explanation: >-
  You did not divide the scaled scores: they spread by the square root of d_k, so the softmax gets sharper as
  heads get wider.
numbers: >-
  Your scores are not divided; with d_k = {d_k} they have to be divided by √d_k = {sqrt_d_k:.3g}.
look_at: >-
  scaled_dot_score: the division by the square root of d_k is missing.
loses: [scaled]
"""

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
