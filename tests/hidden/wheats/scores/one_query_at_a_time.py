"""Python loops over the queries, put together by stack."""

import math

import torch


def dot_score(query, key):
    return torch.stack([(key @ query[:, i, :, None]).squeeze(-1) for i in range(query.shape[1])], dim=1)


def scaled_dot_score(query, key):
    return dot_score(query, key) / math.sqrt(key.shape[-1])


def general_score(query, key, weight):
    return torch.stack([(key @ (row @ weight)[:, :, None]).squeeze(-1) for row in query.unbind(1)], dim=1)


def additive_score(query, key, w_query, w_key, v):
    projected = key @ w_key.T
    rows = []
    for i in range(query.shape[1]):
        state = query[:, i] @ w_query.T
        rows.append(torch.tanh(state[:, None, :] + projected) @ v)
    return torch.stack(rows, dim=1)
