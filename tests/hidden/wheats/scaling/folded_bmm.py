"""Folds all leading axes into one and uses baddbmm and bmm."""

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    *leading, seq_q, d_k = query.shape
    seq_k, d_v = value.shape[-2:]
    q = query.reshape(-1, seq_q, d_k)
    k = key.reshape(-1, seq_k, d_k)
    v = value.reshape(-1, seq_k, d_v)
    bias = torch.zeros(q.shape[0], seq_q, seq_k, dtype=q.dtype, device=q.device)
    if mask is not None:
        blocked = (mask == 0).expand(*leading, seq_q, seq_k).reshape(-1, seq_q, seq_k)
        bias = bias.masked_fill(blocked, -30000.0)
    weights = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=d_k**-0.5).softmax(dim=2)
    if mask is not None:
        weights = weights.masked_fill(blocked.all(dim=-1, keepdim=True), 0)
    return torch.bmm(weights, v).reshape(*leading, seq_q, d_v), weights.reshape(*leading, seq_q, seq_k)
