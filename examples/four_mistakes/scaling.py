import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.shape[-1]
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, 1e-9)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        nothing = (mask == 0).all(dim=-1, keepdim=True)
        weights = weights.masked_fill(nothing, 0)
    return torch.matmul(weights, value), weights
