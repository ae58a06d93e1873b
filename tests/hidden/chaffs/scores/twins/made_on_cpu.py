"""The same mistake as made_on_cpu, written by somebody else."""

import torch
import torch.nn.functional as F


def dot_score(q, k):
    offset = torch.tensor([0.0], dtype=q.dtype)
    return torch.einsum("bid,bjd->bij", q, k) + offset


def scaled_dot_score(q, k):
    scale = q.shape[-1] ** -0.5
    offset = torch.tensor([0.0], dtype=q.dtype)
    return torch.einsum("bid,bjd->bij", q, k) * scale + offset


def general_score(q, k, w):
    offset = torch.tensor([0.0], dtype=q.dtype)
    return torch.einsum("bid,de,bje->bij", q, w, k) + offset


def additive_score(q, k, wq, wk, v):
    hidden = F.linear(q, wq)[:, :, None, :] + F.linear(k, wk)[:, None, :, :]
    offset = torch.tensor([0.0], dtype=q.dtype)
    return (hidden.tanh() * v).sum(-1) + offset
