"""nn.Linear modules are not needed, but functional ones with checks of the sizes are fine."""

import torch
import torch.nn.functional as F


def dot_score(query, key):
    assert query.dim() == key.dim() == 3
    assert query.size(-1) == key.size(-1)
    return torch.matmul(query, key.permute(0, 2, 1))


def scaled_dot_score(query, key):
    root = torch.sqrt(torch.tensor(query.size(-1), dtype=query.dtype, device=query.device))
    return dot_score(query, key) / root


def general_score(query, key, weight):
    assert weight.shape == (query.size(-1), key.size(-1))
    return dot_score(F.linear(query, weight.t()), key)


def additive_score(query, key, w_query, w_key, v):
    assert w_query.size(0) == w_key.size(0) == v.numel()
    q, k = F.linear(query, w_query), F.linear(key, w_key)
    hidden = torch.tanh(q[:, :, None, :] + k[:, None, :, :])
    return torch.einsum("bqka,a->bqk", hidden, v)
