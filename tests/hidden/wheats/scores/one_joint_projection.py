"""Luong's concat: query and key side by side through one joint weight."""

import math

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))


def general_score(query, key, weight):
    return torch.matmul(torch.matmul(query, weight), key.transpose(-2, -1))


def additive_score(query, key, w_query, w_key, v):
    batch, seq_q, _ = query.shape
    seq_k = key.shape[1]
    pairs = torch.cat(
        [
            query.unsqueeze(2).expand(batch, seq_q, seq_k, query.shape[-1]),
            key.unsqueeze(1).expand(batch, seq_q, seq_k, key.shape[-1]),
        ],
        dim=-1,
    )
    joint = torch.cat([w_query, w_key], dim=1)
    return torch.tanh(pairs @ joint.T) @ v
