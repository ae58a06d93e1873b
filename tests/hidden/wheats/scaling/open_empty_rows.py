"""Lets empty rows see everything, adds the logarithm of the mask, and closes the empty rows at the end."""

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)).mul(key.size(-1) ** -0.5)
    if mask is None:
        log_weights = scores.log_softmax(dim=-1)
        weights = log_weights.exp()
    else:
        mask = mask.bool()
        not_empty = mask.any(-1, keepdim=True)
        log_mask = (mask | ~not_empty).to(scores.dtype).log()
        weights = (scores + log_mask).log_softmax(dim=-1).exp() * not_empty
    return torch.matmul(weights, value), weights
