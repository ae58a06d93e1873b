"""The same mistake as tanh_missing, written by somebody else."""

import torch
import torch.nn.functional as F


def dot_score(q, k):
    return torch.einsum("bid,bjd->bij", q, k)


def scaled_dot_score(q, k):
    scale = q.shape[-1] ** -0.5
    return torch.einsum("bid,bjd->bij", q, k) * scale


def general_score(q, k, w):
    return torch.einsum("bid,de,bje->bij", q, w, k)


def additive_score(q, k, wq, wk, v):
    hidden = F.linear(q, wq)[:, :, None, :] + F.linear(k, wk)[:, None, :, :]
    return (hidden * v).sum(-1)
