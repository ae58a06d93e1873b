"""torch's own operations: baddbmm, bilinear and linear layers as functions."""

import math

import torch
import torch.nn.functional as F


def dot_score(query, key):
    return torch.bmm(query, key.mT)


def scaled_dot_score(query, key):
    return torch.bmm(query, key.mT).div(math.sqrt(query.shape[-1]))


def general_score(query, key, weight):
    return torch.bmm(F.linear(query, weight.mT), key.mT)


def additive_score(query, key, w_query, w_key, v):
    pairs = F.linear(query, w_query)[:, :, None] + F.linear(key, w_key)[:, None]
    return F.linear(pairs.tanh(), v[None]).squeeze(-1)
