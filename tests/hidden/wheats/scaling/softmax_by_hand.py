"""Subtracts the row maximum, exponentiates and divides by the sum over allowed keys."""

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query.matmul(key.swapaxes(-1, -2)).div(query.new_tensor(query.size(-1)).sqrt())
    seen = torch.ones_like(scores) if mask is None else (mask != 0).to(scores.dtype).expand_as(scores)
    lowest = torch.finfo(scores.dtype).min
    top = scores.detach().masked_fill(seen == 0, lowest).amax(-1, keepdim=True)
    e = torch.exp((scores - top).masked_fill(seen == 0, lowest)) * seen
    total = e.sum(-1, keepdim=True)
    weights = e / torch.where(total == 0, torch.ones_like(total), total)
    return weights.matmul(value), weights
