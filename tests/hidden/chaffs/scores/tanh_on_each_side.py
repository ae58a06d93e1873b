"""
misconception: tanh_on_each_side
explanation: >-
  You put a tanh on the query and one on the key and add afterwards: then nothing happens between the two, and
  after a softmax over the keys the query has no say.
look_at: >-
  additive_score: one tanh, around the sum.
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
    return torch.matmul(torch.tanh(q) + torch.tanh(k), v)
