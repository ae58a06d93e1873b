"""The same mistake as equal_sizes_only, written by somebody else."""

import torch
import torch.nn.functional as F


def dot_score(q, k):
    return torch.einsum("bid,bjd->bij", q, k)


def scaled_dot_score(q, k):
    scale = q.shape[-1] ** -0.5
    return torch.einsum("bid,bjd->bij", q, k) * scale


def general_score(q, k, w):
    batch, seq_q, d = q.shape
    translated = (q.reshape(-1, d) @ w).reshape(batch, seq_q, d)
    return torch.einsum("bid,bjd->bij", translated, k)


def additive_score(q, k, wq, wk, v):
    hidden = F.linear(q, wq)[:, :, None, :] + F.linear(k, wk)[:, None, :, :]
    return (hidden.tanh() * v).sum(-1)
