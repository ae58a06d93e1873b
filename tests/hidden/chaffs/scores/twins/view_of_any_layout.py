"""The same mistake as view_of_any_layout, written by somebody else."""

import torch
import torch.nn.functional as F


def dot_score(q, k):
    return torch.einsum("bid,bjd->bij", q, k)


def scaled_dot_score(q, k):
    scale = q.shape[-1] ** -0.5
    return torch.einsum("bid,bjd->bij", q, k) * scale


def general_score(q, k, w):
    flat = q.view(q.shape[0] * q.shape[1], q.shape[2])
    return torch.einsum("bie,bje->bij", (flat @ w).view(*q.shape[:2], k.shape[2]), k)


def additive_score(q, k, wq, wk, v):
    left = F.linear(q.view(q.shape[0] * q.shape[1], q.shape[2]), wq).view(*q.shape[:2], 1, len(v))
    right = F.linear(k.view(k.shape[0] * k.shape[1], k.shape[2]), wk).view(k.shape[0], 1, k.shape[1], len(v))
    return ((left + right).tanh() * v).sum(-1)
