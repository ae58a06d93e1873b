"""Adds a mask of numbers in one baddbmm, and works in place on scores of its own."""

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    *leading, seq_q, d_k = query.shape
    seq_k = key.size(-2)
    allowed = torch.ones(*leading, seq_q, seq_k, dtype=query.dtype, device=query.device)
    if mask is not None:
        allowed *= mask
    allowed = allowed.reshape(-1, seq_q, seq_k)
    bias = (1.0 - allowed) * (torch.finfo(query.dtype).min / 2)
    queries = query.reshape(-1, seq_q, d_k) * d_k**-0.5
    scores = torch.baddbmm(bias, queries, key.reshape(-1, seq_k, d_k).mT)
    scores -= scores.detach().amax(dim=-1, keepdim=True)
    shares = scores.exp_()
    weights = (shares / shares.sum(dim=-1, keepdim=True)) * allowed
    output = torch.bmm(weights, value.reshape(-1, seq_k, value.size(-1)))
    return output.reshape(*leading, seq_q, -1), weights.reshape(*leading, seq_q, seq_k)
