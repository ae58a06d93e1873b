"""Python loops: every query by itself, with the keys that it may see picked out."""

import math

import torch


def _one(query, key, value, seen):
    weights = query.new_zeros(key.shape[0])
    index = seen.nonzero().flatten()
    if len(index) == 0:
        return weights @ value, weights
    some = torch.softmax(key[index] @ query / math.sqrt(len(query)), dim=0)
    return some @ value[index], weights.index_put((index,), some)


def scaled_dot_product_attention(query, key, value, mask=None):
    leading, seq_q, seq_k = query.shape[:-2], query.shape[-2], key.shape[-2]
    if mask is None:
        mask = torch.ones(seq_q, seq_k, device=query.device)
    seen = (mask != 0).expand(*leading, seq_q, seq_k).reshape(-1, seq_q, seq_k)
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (query, key, value))
    outputs, weights = [], []
    for i in range(len(q)):
        for t in range(seq_q):
            o, w = _one(q[i, t], k[i], v[i], seen[i, t])
            outputs.append(o)
            weights.append(w)
    output = torch.stack(outputs).reshape(*leading, seq_q, value.shape[-1])
    return output, torch.stack(weights).reshape(*leading, seq_q, seq_k)
