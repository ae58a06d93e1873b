"""
misconception: pairs_by_repeat
explanation: >-
  You paired queries and keys by repeating both in the same order, so that not every query meets every key: one
  side repeats whole (repeat), the other each row (repeat_interleave).
look_at: >-
  additive_score: the lines that lay queries and keys beside each other.
loses: [additive, additive_gradients, additive_robust]
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
    seq_q, seq_k = query.size(1), key.size(1)
    q = torch.matmul(query, w_query.t()).repeat(1, seq_k, 1)
    k = torch.matmul(key, w_key.t()).repeat(1, seq_q, 1)
    scores = torch.matmul(torch.tanh(q + k), v)
    return scores.reshape(-1, seq_q, seq_k)
