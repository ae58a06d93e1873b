"""The weight goes to the keys, the scale to both sides in equal parts, and v is a matrix with one column."""

import torch


def dot_score(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scaled_dot_score(query, key):
    quarter = query.shape[-1] ** -0.25
    return (query * quarter) @ (key * quarter).transpose(1, 2)


def general_score(query, key, weight):
    return query @ (key @ weight.T).transpose(1, 2)


def additive_score(query, key, w_query, w_key, v):
    hidden = torch.tanh((query @ w_query.T).unsqueeze(-2) + (key @ w_key.T).unsqueeze(-3))
    return (hidden @ v.unsqueeze(-1)).squeeze(-1)
