"""
misconception: cosine_similarity
explanation: >-
  You divide queries and keys by their lengths, which makes cosines of the dot products: how long a query or key
  is has an influence on a dot product, and is meant to.
look_at: >-
  dot_score: no norm and no normalize.
loses: [dot]
"""

import math

import torch


def dot_score(query, key):
    query = query / query.norm(dim=-1, keepdim=True)
    key = key / key.norm(dim=-1, keepdim=True)
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    q = torch.matmul(query, w_query.t()).unsqueeze(2)
    k = torch.matmul(key, w_key.t()).unsqueeze(1)
    return torch.matmul(torch.tanh(q + k), v)
