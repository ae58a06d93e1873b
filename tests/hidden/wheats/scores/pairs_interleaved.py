"""Every pair as one row of a long list: repeat_interleave for queries, repeat for keys."""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    seq_q, seq_k = query.shape[1], key.shape[1]
    left = (query @ w_query.T).repeat_interleave(seq_k, dim=1)
    right = (key @ w_key.T).repeat(1, seq_q, 1)
    return (torch.tanh(left + right) @ v).reshape(-1, seq_q, seq_k)
