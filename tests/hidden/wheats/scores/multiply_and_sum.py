"""No matrix product at all: every pair is multiplied out and summed."""

import torch


def dot_score(query, key):
    return (query.unsqueeze(2) * key.unsqueeze(1)).sum(dim=-1)


def scaled_dot_score(query, key):
    return (query.unsqueeze(2) * key.unsqueeze(1)).sum(dim=-1) * query.shape[-1] ** -0.5


def general_score(query, key, weight):
    translated = (query.unsqueeze(-1) * weight).sum(dim=-2)
    return (translated.unsqueeze(2) * key.unsqueeze(1)).sum(dim=-1)


def additive_score(query, key, w_query, w_key, v):
    left = (query.unsqueeze(-2) * w_query).sum(dim=-1)
    right = (key.unsqueeze(-2) * w_key).sum(dim=-1)
    return (torch.tanh(left.unsqueeze(2) + right.unsqueeze(1)) * v).sum(dim=-1)
