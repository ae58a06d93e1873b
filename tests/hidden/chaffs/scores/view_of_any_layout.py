"""
misconception: view_of_any_layout
explanation: >-
  You fold batch and tokens with view, which needs axes that lie together in memory; after a transpose they do
  not.
look_at: >-
  Use reshape, or fold no axes at all: a matrix product works with any leading axes.
loses: [general_robust, additive_robust]
"""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    batch, seq_q, d_q = query.size()
    translated = torch.mm(query.view(-1, d_q), weight).view(batch, seq_q, -1)
    return torch.matmul(translated, key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    batch, seq_q, d_q = query.size()
    q = torch.mm(query.view(-1, d_q), w_query.t()).view(batch, seq_q, 1, -1)
    k = torch.mm(key.view(-1, key.size(-1)), w_key.t()).view(batch, 1, key.size(1), -1)
    return torch.matmul(torch.tanh(q + k), v)
