"""
misconception: made_on_cpu
explanation: >-
  You made a tensor without saying where, so it lies on the CPU and meets scores on an accelerator.
look_at: >-
  Every torch.zeros, torch.ones, torch.arange or torch.tensor: it needs device=query.device.
loses: [dot_robust, scaled_robust, general_robust, additive_robust]
"""

import math

import torch


def dot_score(query, key):
    scores = torch.zeros(query.size(0), query.size(1), key.size(1), dtype=query.dtype)
    return scores + torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    scores = torch.zeros(query.size(0), query.size(1), key.size(1), dtype=query.dtype)
    return scores + torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    scores = torch.zeros(query.size(0), query.size(1), key.size(1), dtype=query.dtype)
    return scores + torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    scores = torch.zeros(query.size(0), query.size(1), key.size(1), dtype=query.dtype)
    return scores + torch.matmul(torch.tanh(q + k), v)
