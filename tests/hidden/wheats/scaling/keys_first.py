"""Lays keys along the rows: the softmax runs over axis -2 and everything is transposed at the end."""

import math


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = key @ query.transpose(-2, -1) / math.sqrt(key.shape[-1])  # (…, seq_k, seq_q)
    if mask is None:
        weights = scores.softmax(dim=-2)
    else:
        shape = (*query.shape[:-1], key.shape[-2])
        hidden = (mask == 0).expand(shape).transpose(-2, -1)
        scores.masked_fill_(hidden, -3e4)
        weights = scores.softmax(dim=-2).masked_fill(hidden, 0)
    output = value.transpose(-2, -1) @ weights  # (…, d_v, seq_q)
    return output.transpose(-2, -1), weights.transpose(-2, -1)
